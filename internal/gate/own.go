package gate

import (
	"cmp"
	"net"
	"net/url"
	"path"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/locate"
	"mcpproxy/internal/text"
)

// Own is what says what agents may do, and so is not theirs to change. The zero value
// is nothing.
type Own struct {
	Home   string   // the user's folder, which "~" stands for; "" when it is not known
	Paths  []string // files, and the folder that holds them; absolute
	Listen string   // host:port of the REST API; a port of 0 is not known

	bases map[string][]int // where in Paths those are that end with a name, in lower case
	port  string           // of Listen; "" when it is not known
}

// indexed is o, ready to be asked.
func (o Own) indexed() Own {
	o.bases, o.port = map[string][]int{}, ""
	for i, own := range o.Paths {
		base := strings.ToLower(path.Base(slashed(own)))
		o.bases[base] = append(o.bases[base], i)
	}
	if _, port, err := net.SplitHostPort(o.Listen); err == nil && port != "0" {
		o.port = port
	}
	return o
}

// slashed is a path as Unix writes it.
func slashed(s string) string { return strings.ReplaceAll(s, `\`, "/") }

// deciding are the requests of the REST API that say what agents may do, and those that
// reach servers without passing here.
var deciding = lazyregexp.New(`/api/v1/(?:approvals\b|kill\b|tokens\b|login\b|code/run\b|probe/run\b|servers/[^/\s]+/(?:quarantine|unquarantine|tools/(?:approve|block))\b)|/orchestrator/run_tests\b`)

// Deciding is the request of the REST API in a text that agents may not make; "" for none.
func Deciding(request string) string {
	return cmp.Or(deciding().FindString(request), deciding().FindString(locate.Served(request)))
}

// changedBy is what of o the command lines of a call change; "" for nothing.
func (o *Own) changedBy(lines []line) string {
	for _, l := range lines {
		for _, w := range l.Writes {
			if own := o.path(w); own != "" {
				return own
			}
		}
		for _, k := range l.Knocks {
			if o.named(k) {
				if asked := Deciding(k); asked != "" {
					return asked
				}
			}
		}
	}
	return ""
}

// changedIn is what of o a tool that does more than read changes by its arguments; ""
// for nothing. A path counts where it is all of a text, or the head of a patch says it;
// an address, where it is all of a text.
func (o *Own) changedIn(call *mcpproxy.Call, op mcpproxy.Operation, doc *text.Document) string {
	if len(o.Paths) == 0 || call.Kind != mcpproxy.KindTool || doc == nil {
		return ""
	}
	for _, part := range doc.Parts {
		if part.Kind != text.Value || part.Opened() {
			continue
		}
		if len(part.Text) <= maxPath && o.addressed(part.Text) {
			if asked := Deciding(part.Text); asked != "" {
				return asked
			}
		}
		if op == mcpproxy.Read {
			continue
		}
		if own := o.path(part.Text); own != "" {
			return own
		}
		if own := o.patched(part.Text); own != "" {
			return own
		}
	}
	return ""
}

// patchHeads begin the lines of a patch that name a file.
var patchHeads = []string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", "+++ ", "--- "}

// patched is the file of o that a patch changes; "" for none.
func (o *Own) patched(patch string) string {
	if !strings.Contains(patch, "*** ") && !strings.Contains(patch, "+++ ") {
		return ""
	}
	for l := range strings.Lines(patch) {
		for _, head := range patchHeads {
			if file, ok := strings.CutPrefix(strings.TrimSpace(l), head); ok {
				if own := o.path(strings.TrimPrefix(strings.TrimPrefix(file, "a/"), "b/")); own != "" {
					return own
				}
			}
		}
	}
	return ""
}

// maxPath is the length of the longest path that is looked at, in bytes.
const maxPath = 4096

// path is the path of o that a name on this machine may stand for; "" for none. A name
// whose folder is not known counts when it says at least the folder that it is in.
func (o *Own) path(name string) string {
	if len(o.Paths) == 0 || len(name) > maxPath || !strings.ContainsAny(name, `/\`) || strings.ContainsRune(name, '\n') {
		return "" // a name without a folder is anybody's
	}
	name = slashed(strings.TrimPrefix(name, "file://"))
	for _, home := range []string{"~", "$HOME", "${HOME}", "$env:USERPROFILE", "$env:HOME"} {
		if rest, ok := strings.CutPrefix(name, home); ok && strings.HasPrefix(rest, "/") && o.Home != "" {
			name = slashed(o.Home) + rest
		}
	}
	name = path.Clean(name)
	for strings.HasPrefix(name, "../") {
		name = name[len("../"):]
	}
	if strings.ContainsAny(name, "*?[") {
		for _, own := range o.Paths {
			if matches(name, slashed(own)) {
				return own
			}
		}
		return ""
	}
	for _, i := range o.bases[strings.ToLower(path.Base(name))] {
		if matches(name, slashed(o.Paths[i])) {
			return o.Paths[i]
		}
	}
	return ""
}

// matches reports whether a clean name, in which * and ? may stand, is own or a part of
// it that says a folder.
func matches(name, own string) bool {
	if !path.IsAbs(name) && !strings.Contains(name, ":/") {
		n := strings.Count(name, "/") + 1
		elements := strings.Split(own, "/")
		if n < 2 || n >= len(elements) {
			return false
		}
		own = strings.Join(elements[len(elements)-n:], "/")
	}
	if strings.EqualFold(name, own) {
		return true
	}
	ok, err := path.Match(name, own)
	return ok && err == nil
}

// named reports whether a request's text names the port of the REST API.
func (o *Own) named(request string) bool {
	for rest := request; o.port != ""; {
		before, after, ok := strings.Cut(rest, o.port)
		if !ok {
			return false
		}
		if !digit(before, len(before)-1) && !digit(after, 0) {
			return true
		}
		rest = after
	}
	return false
}

func digit(s string, i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }

// addressed reports whether a text is an address at the port of the REST API on this
// machine.
func (o *Own) addressed(s string) bool {
	if !o.named(s) {
		return false
	}
	u, err := url.Parse(strings.TrimSpace(s))
	return err == nil && u.Port() == o.port && locate.Domains(nil).Host(u.Hostname())
}

// change is what of this firewall's own a call changes; "" for nothing.
func (p *Pass) change(lines []line, doc *text.Document) string {
	own := &p.settings.Own
	if len(lines) > 0 {
		return own.changedBy(lines)
	}
	return own.changedIn(p.Call, p.operation, doc)
}
