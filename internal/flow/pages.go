package flow

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/text"
)

// pages records which site the browser of each server shows. Only a call that opens an address determines the site.
// Results only confirm or refute it, because a site controls the text of its page. The records are kept in memory
// only.
type pages struct {
	of map[string]page // by server
}

// page is the site that a browser shows.
type page struct {
	host string
	told bool // each result of the server says where the browser is
}

// maxBrowsers is the maximum number of servers of a session whose pages are recorded.
const maxBrowsers = 16

// pageLine matches the line in which a browser server reports its address.
var pageLine = lazyregexp.New(`(?m)^[-*#\s]*Page URL:\s*(https?://\S+)`)

// leading lists actions after which a browser may show another site. opening lists actions that open an address.
var (
	leading = []string{"click", "press", "key", "back", "forward", "evaluate", "submit", "run", "execute", "tab", "tabs", "select", "dialog"}
	opening = []string{"navigate", "goto", "open", "visit"}
)

// learn records what a call and its result say about the browser's page.
func (b *pages) learn(p Transfer) {
	if p.Call.Server == "" || p.Act == nil {
		return
	}
	now, known := b.of[p.Call.Server]
	if !p.Act.Effect.Harmless() || p.Arguments == nil {
		if known { // a script of the agent may have opened another page
			b.of[p.Call.Server] = page{}
		}
		return
	}
	has := func(words []string) bool {
		return slices.ContainsFunc(p.Act.Words, func(w string) bool { return slices.Contains(words, w) })
	}
	opened := has(opening)
	switch {
	case opened:
		now = page{host: openedBy(p.Arguments)}
	case !known:
		return
	}
	said := 0
	for _, part := range p.Doc.Parts {
		if part.Kind != text.Value || part.Opened() {
			continue
		}
		for _, m := range pageLine().FindAllStringSubmatch(part.Text, -1) {
			said++
			if host, _ := splitURL(m[1]); host != now.host {
				now.host = ""
			}
		}
	}
	if opened {
		now.told = said > 0
	}
	if p.Failed || !opened && has(leading) && (!now.told || said == 0) {
		now.host = ""
	}
	if b.of == nil {
		b.of = map[string]page{}
	}
	if _, there := b.of[p.Call.Server]; there || len(b.of) < maxBrowsers {
		b.of[p.Call.Server] = now
	}
}

// openedBy returns the host of the address that a call opens. It returns "" unless the call names exactly one address.
func openedBy(args *text.Document) string {
	host := ""
	for _, part := range args.Parts {
		if part.Kind != text.Value || part.Opened() || !strings.Contains(part.Text, "://") {
			continue
		}
		h, ok := hostOf(part.Text)
		if !ok || host != "" || !strings.HasPrefix(part.Text, "https://") {
			return ""
		}
		host = h
	}
	return host
}

// shown returns the host of the page into which a call types. It returns "" for other calls, and if the page is not
// known.
func (b *pages) shown(p Transfer) string {
	if p.Act == nil || p.Act.Effect != mcpproxy.EffectNavigate {
		return ""
	}
	types := func(w string) bool { return slices.Contains([]string{"type", "fill", "input", "enter", "form"}, w) }
	if !slices.ContainsFunc(p.Act.Words, types) {
		return ""
	}
	return b.of[p.Call.Server].host
}
