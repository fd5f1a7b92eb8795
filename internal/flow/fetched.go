package flow

import (
	"slices"

	"mcpproxy"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/text"
)

// imageAddress finds the address of an image in Markdown, HTML, a style sheet or the formula of a spreadsheet. Whoever
// shows the text fetches it, and tells its host what stands in the path and the query.
var imageAddress = lazyregexp.New(
	`(?i)(?:!\[[^\]\n]{0,300}\]\(\s*<?|<(?:img|source|iframe|link|script)\b[^>]{0,300}?\b(?:src|href|srcset)\s*=\s*["']?|` +
		`=IMAGE\(\s*["']|\burl\(\s*["']?)(https?://[^\s"'<>)]+)`,
)

// fetched marks the edges whose data stands in the address of an image: it goes to the host of the image, wherever the
// text goes. The host of an image that the user or a trusted result named gets nothing that it does not have.
func (d *directory) fetched(
	p Transfer,
	edges []mcpproxy.Edge,
	to []mcpproxy.Destination,
) ([]mcpproxy.Edge, []mcpproxy.Destination) {
	private := func(e mcpproxy.Edge) bool {
		return e.From.Side == mcpproxy.Internal && !e.From.Untrusted && !e.Own && e.Start < e.End
	}
	if !slices.ContainsFunc(edges, private) {
		return edges, to
	}
	edges = slices.Clone(edges)
	for i, part := range p.Doc.Parts {
		if part.Kind != text.Value || part.Opened() {
			continue
		}
		for _, at := range imageAddress().FindAllStringSubmatchIndex(part.Text, -1) {
			address := part.Text[at[2]:at[3]]
			host, _ := splitURL(address)
			r := recipient{"https://" + host + "/", kindURL, i, ""}
			source, from := d.sourceOf(r)
			where := p.destination(r, source, from)
			if host == "" || source.Rank() < mcpproxy.FromNowhere.Rank() || p.Home != nil && p.Home(where) {
				continue
			}
			for j := range edges {
				e := &edges[j]
				if !private(*e) || e.Path != p.path(part) || e.Start <= at[2]+len("https://") || e.End > at[3] {
					continue
				}
				e.Fetched = true
				e.Type, e.ToSide = mcpproxy.InternalToExternal, mcpproxy.External
				e.Destination, e.Risk = source, mcpproxy.RiskHigh
				if len(e.Sensitive) > 0 {
					e.Risk = mcpproxy.RiskCritical
				}
				to = append(to, where)
			}
		}
	}
	slices.SortStableFunc(to, func(a, b mcpproxy.Destination) int { return b.Source.Rank() - a.Source.Rank() })
	return edges, slices.Compact(to)
}
