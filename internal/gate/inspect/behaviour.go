package inspect

import (
	"cmp"
	"slices"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/risk"
)

// leaving is what the call counts for as a send to the outside, and what is unusual in its own
// texts; nil for one that hands nothing over. Signals are what was observed about the call, the
// suppressed ones marked. Once a session has read sensitive data, everything that leaves counts:
// a search tells something by its words.
func (p *Inspection) leaving(signals []mcpproxy.Signal) (s *risk.Send, payloads []mcpproxy.Signal) {
	read := p.lineage.Legs.Sensitive != nil
	if !Logged(p.call) || !p.class.Leaves() || !read && !p.sends() {
		return nil, nil
	}
	s = &risk.Send{
		Session: p.call.FlowSession,
		Tool:    place(p.call),
		At:      p.call.Received,
		Bytes:   len(p.call.Arguments) + len(p.call.Extra),
		Tainted: read,
		Sensitive: len(p.ownValues) == 0 &&
			(len(p.known) > 0 || slices.ContainsFunc(signals, mcpproxy.Signal.Sensitive)),
	}
	for _, d := range p.lineage.Destinations {
		s.Destinations = append(s.Destinations, d.Value)
	}
	if len(s.Destinations) == 0 { // a server is one destination, however many tools it has
		s.Destinations = []string{cmp.Or(p.call.Server, s.Tool)}
	}
	if !read {
		return s, nil
	}
	mask := detect.NewMasker(p.hidden).Text
	for _, r := range []Reading{p.args, p.extra} {
		if payload, ok := risk.Opaque(r.Doc, mask, p.ownValues...); ok {
			payloads = append(payloads, payload)
		}
	}
	return s, payloads
}

// sends reports whether the call hands something to the outside: by what it
// does, or because internal data is seen going with it.
func (p *Inspection) sends() bool {
	return p.class.Sends(p.operation) ||
		slices.ContainsFunc(p.lineage.Edges, func(e mcpproxy.Edge) bool {
			return e.Type == mcpproxy.InternalToExternal
		})
}

// place is where a call goes, in words that hold none of its data: a resource's
// address may.
func place(c *mcpproxy.Call) string {
	switch {
	case c.Server == "":
		return c.Tool
	case c.Kind != mcpproxy.KindTool:
		return c.Server
	}
	return c.Server + ":" + c.Tool
}

// trifecta is the signal that all three legs have come together: the session has
// read private data, has met strangers' words, and now sends (RFC-004, The Lethal
// Trifecta). Much honest work does that, so it is as sure as what was met is bad.
func (p *Inspection) trifecta() []mcpproxy.Signal {
	l := p.lineage.Legs
	if !l.Lethal() || !p.sends() {
		return nil
	}
	s := mcpproxy.Signal{
		Source:     mcpproxy.SourceFlow,
		Kind:       "lethal_trifecta",
		Category:   "data_flow",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.3,
		Evidence:   "private data by " + l.Private.Name + ", strangers' words by " + l.Untrusted.Name,
	}
	switch {
	case l.Injected != nil:
		s.Confidence, s.Evidence = 0.9, "private data by "+l.Private.Name+", an instruction in a result of "+l.Injected.Name
	case l.Sensitive != nil:
		s.Confidence, s.Evidence = 0.6, "sensitive data by "+l.Sensitive.Name+", strangers' words by "+l.Untrusted.Name
	}
	other := func(d mcpproxy.Destination) bool { return d.Source != mcpproxy.FromUser }
	if d := p.lineage.Destinations; len(d) > 0 && !slices.ContainsFunc(d, other) { // the user named them all
		s.Confidence /= 3
	}
	return []mcpproxy.Signal{s}
}
