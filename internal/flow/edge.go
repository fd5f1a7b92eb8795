package flow

import (
	"slices"

	"mcpproxy"
)

// building is an edge whose evidence is still being gathered.
type building struct {
	mcpproxy.Edge
	best match
	any  bool
}

// edge starts an edge from origin n to the call of p.
func (s *Session) edge(p Passage, n int) *building {
	to := p.Call.Server
	if to == "" {
		to = p.Call.Tool
	}
	return &building{Edge: mcpproxy.Edge{From: *s.origins[n], To: to, ToSide: p.Class.Side, Type: TypeOf(s.origins[n].Side, p.Class)}}
}

func (b *building) add(pr print, category string, p Passage) {
	if category != "" && !slices.Contains(b.Sensitive, category) {
		b.Sensitive = append(b.Sensitive, category)
	}
	if b.any && pr.match >= b.best {
		return
	}
	b.any, b.best = true, pr.match
	b.Match, b.Bytes, b.Path = pr.match.String(), pr.bytes, ""
	if pr.part >= 0 {
		b.Path = p.path(pr.part)
	}
}

func (b *building) done() mcpproxy.Edge {
	b.Risk = riskOf(b.Type, len(b.Sensitive) > 0)
	return b.Edge
}

func (p Passage) path(part int) string {
	if p.Name == nil {
		return p.Doc.Path(p.Doc.Parts[part])
	}
	return p.Doc.Paths(p.Name)(p.Doc.Parts[part])
}

// TypeOf is the flow type of data from one side to a destination (FR-023).
// What can be either side counts as the one that makes the flow worse.
func TypeOf(from mcpproxy.Side, to mcpproxy.Class) mcpproxy.FlowType {
	fromInternal := from != mcpproxy.External
	toExternal := to.Side == mcpproxy.External || to.Side == mcpproxy.Hybrid
	switch {
	case fromInternal && toExternal:
		return mcpproxy.InternalToExternal
	case fromInternal:
		return mcpproxy.InternalToInternal
	case toExternal:
		return mcpproxy.ExternalToExternal
	}
	return mcpproxy.ExternalToInternal
}

// riskOf is the risk level of a flow (FR-024).
func riskOf(t mcpproxy.FlowType, sensitive bool) mcpproxy.RiskLevel {
	switch {
	case t != mcpproxy.InternalToExternal:
		return mcpproxy.RiskNone
	case sensitive:
		return mcpproxy.RiskCritical
	}
	return mcpproxy.RiskMedium
}
