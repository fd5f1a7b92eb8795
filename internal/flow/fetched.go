package flow

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/text"
)

// fetchedAddress matches an address that a program fetches as soon as it displays a text: the address of an image in
// Markdown, HTML, a style sheet or a spreadsheet formula, or of a frame or a script in HTML.
var fetchedAddress = lazyregexp.New(
	`(?i)(?:!\[[^\]\n]{0,300}\]\(\s*<?|<(?:img|source|iframe|link|script)\b[^>]{0,300}?\b(?:src|href|srcset)\s*=\s*["']?|` +
		`=IMAGE\(\s*["']|\burl\(\s*["']?)(https?://[^\s"'<>)]+)`,
)

// fetched marks the edges whose data is part of an address that a program fetches on display. The data then goes to
// the host of the address, wherever the text goes. fetched returns the call's destinations together with these hosts.
// It leaves out hosts that the user or a trusted result named, and addresses that the receiver already has.
func (d *directory) fetched(
	p Transfer,
	edges []mcpproxy.Edge,
	to []mcpproxy.Destination,
) ([]mcpproxy.Edge, []mcpproxy.Destination) {
	private := map[string][]int{} // indexes of edges, by the path of the argument
	for i, e := range edges {
		if e.From.Side == mcpproxy.Internal && !e.Own && e.Start < e.End {
			private[e.Path] = append(private[e.Path], i)
		}
	}
	if len(private) == 0 {
		return edges, to
	}
	edges = slices.Clone(edges)
	for i, part := range p.Doc.Parts {
		if part.Kind != text.Value || part.Opened() || len(to) >= maxTold || !strings.Contains(part.Text, "://") {
			continue
		}
		here := private[p.path(part)]
		if len(here) == 0 {
			continue
		}
		for _, at := range fetchedAddress().FindAllStringSubmatchIndex(part.Text, -1) {
			host, _ := splitURL(part.Text[at[2]:at[3]])
			source, from := d.sourceOf(recipient{"https://" + host + "/", kindURL, i, ""})
			inside := func(n int) bool {
				e := edges[n]
				// The text that contained the address, such as a mail with a picture, contains all of it.
				whole := e.From.Untrusted && (from == nil || from.CallID == e.From.CallID)
				return e.Start > at[2]+len("https://") && e.End <= at[3] && !whole
			}
			n := slices.IndexFunc(here, inside)
			if n < 0 {
				continue
			}
			where := p.destination(recipient{"https://" + host + "/", kindURL, i, ""}, source, from)
			if host == "" || source.Rank() < mcpproxy.FromNowhere.Rank() || p.Home != nil && p.Home(where) {
				continue
			}
			to = append(to, where)
			for _, n := range here[n:] {
				if inside(n) {
					fetch(&edges[n], source)
				}
			}
		}
	}
	slices.SortStableFunc(to, func(a, b mcpproxy.Destination) int { return b.Source.Rank() - a.Source.Rank() })
	return edges, slices.Compact(to)
}

// fetch marks an edge whose data leaves in an address that a program fetches on display.
func fetch(e *mcpproxy.Edge, source mcpproxy.DestinationSource) {
	e.Fetched = true
	e.Type, e.ToSide = mcpproxy.InternalToExternal, mcpproxy.External
	e.Destination, e.Risk = source, mcpproxy.RiskHigh
	if len(e.Sensitive) > 0 {
		e.Risk = mcpproxy.RiskCritical
	}
}
