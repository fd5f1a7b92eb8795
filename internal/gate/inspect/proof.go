package inspect

import (
	"slices"

	"mcpproxy"
	"mcpproxy/internal/classify/shell"
	"mcpproxy/internal/locate"
)

// proof is a credential that a command presents to a host to authenticate, such as a token in a header.
type proof struct {
	evidence string // of the edge that flow tracking made of it
	host     string
	data     []shell.Source
}

// prove marks edges whose data a command presents to a host only to authenticate. It does so only if the user, the
// user's own records or the agent by itself chose the host. If an untrusted result or an injected instruction may
// have chosen the host, the edge is judged like any other secret that leaves.
func (p *traced) prove(proofs []proof) {
	if p.lineage.Legs.Injected != nil {
		return
	}
	for i := range p.lineage.Edges {
		e := &p.lineage.Edges[i]
		at := slices.IndexFunc(proofs, func(pr proof) bool { return e.Match == "shell" && e.Evidence == pr.evidence })
		if at >= 0 && p.mayProve(&proofs[at]) {
			e.Own, e.Risk = true, mcpproxy.RiskNone
			e.Sensitive = nil
		}
	}
}

// mayProve reports whether the proof may be presented to its host.
func (p *traced) mayProve(pr *proof) bool {
	if slices.ContainsFunc(pr.data, func(s shell.Source) bool { return s.Foreign(pr.host) }) {
		return false
	}
	host, _ := locate.Split(pr.host)
	if p.by.Home.Host(host) {
		return true
	}
	source, known := mcpproxy.FromNowhere, false
	for _, d := range p.lineage.Destinations {
		at, _ := locate.Split(d.Value)
		isIts := d.AtHost() && (d.Value == pr.host || at == host)
		if isIts && (!known || d.Source.Rank() > source.Rank()) {
			source, known = d.Source, true
		}
	}
	switch source {
	case mcpproxy.FromUser, mcpproxy.FromInternal:
		return true
	case mcpproxy.FromNowhere:
		named := func(s shell.Source) bool { return s.IsNamedFor(host) }
		chosen := func(s shell.Source) bool { return s.Kind == shell.Variable && !s.Secret }
		return !slices.ContainsFunc(pr.data, func(s shell.Source) bool {
			return !named(s) && !(chosen(s) && p.lineage.Legs.Untrusted == nil)
		})
	}
	return false
}

// readStores marks the edges of a call that only reads from object stores: the names of the objects that it reads
// repeat what the agent has read, such as the id of a job. A secret in such a name still leaves.
func (p *traced) readStores() {
	elsewhere := func(e shell.Endpoint) bool { return e.Kind != "bucket" }
	for _, l := range p.lines {
		if l.Opaque || len(l.Sends) > 0 || slices.ContainsFunc(l.Fetches, elsewhere) {
			return
		}
	}
	if len(p.lines) == 0 || p.lineage.Legs.Injected != nil {
		return
	}
	for i := range p.lineage.Edges {
		if e := &p.lineage.Edges[i]; len(e.Sensitive) == 0 {
			e.Own, e.Risk = true, mcpproxy.RiskNone
		}
	}
}
