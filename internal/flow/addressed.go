package flow

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/text"
)

// leastPayload is the minimum number of letters and digits of data beside an address. A shorter text is a port or the
// name of a flag.
const leastPayload = 16

// asAddresses marks the edges that carry only addresses of the call's own recipients, and returns all edges. It
// ignores URLs, because the path and the query of a URL can carry any data.
func asAddresses(p Transfer, edges []mcpproxy.Edge) []mcpproxy.Edge {
	if len(edges) == 0 {
		return edges
	}
	var named []string
	to, _ := recipientsOf(p)
	for _, r := range to {
		switch r.kind {
		case kindEmail, kindHost, kindPhone, kindAccount:
			named = append(named, strings.ToLower(r.value))
		}
	}
	if len(named) == 0 {
		return edges
	}
	out := slices.Clone(edges)
	for i := range out {
		e := &out[i]
		if !e.Literal() || len(e.Sensitive) > 0 || e.Start >= e.End {
			continue
		}
		rest := strings.ToLower(p.stretch(*e))
		before := len(rest)
		for _, address := range named {
			rest = strings.ReplaceAll(rest, address, " ")
		}
		if len(rest) < before && len(spelled(rest)) < leastPayload && !holdsRecord(rest) {
			e.Own, e.Risk = true, mcpproxy.RiskNone
		}
	}
	return out
}

// stretch returns the part of the arguments that an edge moves, or "" if it is not known.
func (p Transfer) stretch(e mcpproxy.Edge) string {
	for _, part := range p.Doc.Parts {
		if part.Kind == text.Value && !part.Opened() && e.End <= len(part.Text) && p.path(part) == e.Path {
			return part.Text[e.Start:e.End]
		}
	}
	return ""
}
