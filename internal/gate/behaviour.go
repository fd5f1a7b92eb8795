package gate

import (
	"slices"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
)

// observe counts a call that hands something to the outside, and notes what is
// unusual about it. Once a session has read sensitive data, everything that
// leaves counts: a search tells something by its words.
func (g *Gate) observe(p *Pass, signals []mcpproxy.Signal) {
	read := p.trace.Legs.Sensitive != nil
	if !recorded(p.Call.Kind) || !p.class.Leaves() || !read && !p.sends() {
		return
	}
	s := risk.Send{Session: p.Call.FlowSession, Tool: place(p.Call), At: p.Call.Received,
		Bytes: len(p.Call.Arguments) + len(p.Call.Extra), Tainted: read,
		Sensitive: len(p.known) > 0 || slices.ContainsFunc(signals, mcpproxy.Signal.Sensitive)}
	for _, d := range p.trace.Destinations {
		s.Destinations = append(s.Destinations, d.Value)
	}
	if len(s.Destinations) == 0 {
		s.Destinations = []string{s.Tool}
	}
	p.outgoing = &s
	if !p.Call.Told { // what is usual about it was weighed before the agent made it
		p.behaviour = g.watch.Observe(s, p.settings.Limits)
	}
	if !read {
		return
	}
	mask := detect.NewMasker(p.hidden).Text
	for _, r := range []reading{p.args, p.extra} {
		if payload, ok := risk.Opaque(r.doc, mask); ok {
			p.behaviour = append(p.behaviour, payload)
		}
	}
}

// learn takes a call that was sent for usual.
func (g *Gate) learn(p *Pass) {
	if p.outgoing != nil {
		g.watch.Learn(*p.outgoing)
	}
}

// sends reports whether the call hands something to the outside: by what it
// does, or because internal data is seen going with it.
func (p *Pass) sends() bool {
	return p.class.Sends(p.operation) ||
		slices.ContainsFunc(p.trace.Edges, func(e mcpproxy.Edge) bool { return e.Type == mcpproxy.InternalToExternal })
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
func (p *Pass) trifecta() []mcpproxy.Signal {
	l := p.trace.Legs
	if !l.Lethal() || !p.sends() {
		return nil
	}
	s := mcpproxy.Signal{Source: mcpproxy.SourceFlow, Kind: "lethal_trifecta", Category: "data_flow", Severity: mcpproxy.SeverityHigh,
		Confidence: 0.3, Evidence: "private data by " + l.Private.Name + ", strangers' words by " + l.Untrusted.Name}
	switch {
	case l.Injected != nil:
		s.Confidence, s.Evidence = 0.9, "private data by "+l.Private.Name+", an instruction in a result of "+l.Injected.Name
	case l.Sensitive != nil:
		s.Confidence, s.Evidence = 0.6, "sensitive data by "+l.Sensitive.Name+", strangers' words by "+l.Untrusted.Name
	}
	other := func(d mcpproxy.Destination) bool { return d.Source != mcpproxy.FromUser }
	if d := p.trace.Destinations; len(d) > 0 && !slices.ContainsFunc(d, other) { // the user named them all
		s.Confidence /= 3
	}
	return []mcpproxy.Signal{s}
}

// noticed is what is said of the call's behaviour, unless alerts are off.
func (p *Pass) noticed(r policy.Ruling) []mcpproxy.Signal {
	switch {
	case p.settings.Quiet:
		return nil
	case r.Rule == policy.RuleSuspicious:
		return append(p.behaviour, mcpproxy.Signal{Source: mcpproxy.SourceStatic, Kind: "suspicious_endpoint", Category: "exfiltration",
			Severity: mcpproxy.SeverityCritical, Confidence: 1, Evidence: r.Reason})
	}
	return p.behaviour
}
