package flow

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/text"
)

// leastPayload is how many letters and digits of a stretch are more than an address with what stands around
// it, such as a port or the name of a flag.
const leastPayload = 16

// asAddresses are edges with those marked by which nothing moves but the addresses that the call goes to: of
// whom the call is for, or whom it looks up. Of a URL the host alone counts, as the rest may carry anything.
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
		if e.Match == "shell" || e.Match == "shards" || len(e.Sensitive) > 0 || e.Start >= e.End {
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

// stretch is the text that an edge moves, as it stands in the arguments; "" when it cannot be told.
func (p Transfer) stretch(e mcpproxy.Edge) string {
	for _, part := range p.Doc.Parts {
		if part.Kind == text.Value && !part.Opened() && e.End <= len(part.Text) && p.path(part) == e.Path {
			return part.Text[e.Start:e.End]
		}
	}
	return ""
}
