package inspect

import (
	"cmp"
	"fmt"
	"slices"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/risk"
)

// send is what a call counts for as a send to the outside. Once its session has read sensitive
// data, everything that leaves counts: a search tells something by its words.
func (in *Inspector) send(w weighed) send {
	var out send
	read := w.lineage.Legs.Sensitive != nil
	if w.err != nil || !Logged(w.call) {
		return out
	}
	if read || w.lineage.Legs.Private != nil {
		out.behaviour = in.unreadable(&w)
	}
	if !w.class.Leaves() || !read && !w.sends() {
		return out
	}
	s := &risk.Send{
		Session: w.call.FlowSession,
		Tool:    place(w.call),
		At:      w.call.Received,
		Bytes:   len(w.call.Arguments) + len(w.call.Extra),
		Tainted: read,
		Sensitive: len(w.ownValues) == 0 &&
			(len(w.known) > 0 || slices.ContainsFunc(w.observed, mcpproxy.Signal.Sensitive)),
	}
	for _, d := range w.lineage.Destinations {
		s.Destinations = append(s.Destinations, d.Value)
	}
	if len(s.Destinations) == 0 { // a server is one destination, however many tools it has
		s.Destinations = []string{cmp.Or(w.call.Server, s.Tool)}
	}
	out.outgoing = s
	return out
}

// unreadable are the signs that a call tells the outside something that nobody can read: a
// payload that no view decodes, or addresses that nothing explains.
func (in *Inspector) unreadable(w *weighed) []mcpproxy.Signal {
	var out []mcpproxy.Signal
	mask := detect.NewMasker(w.hidden).Text
	known := slices.Concat(w.ownValues, w.lineage.Seen)
	for _, r := range []Reading{w.args, w.extra} {
		if !w.class.Leaves() {
			break
		}
		if payload, ok := risk.Opaque(r.Doc, mask, known...); ok {
			out = append(out, payload)
		}
	}
	if u := w.lineage.Unexplained; u.Exceeded() && len(w.ownValues) == 0 {
		out = append(out, mcpproxy.Signal{
			Source:     mcpproxy.SourceBehavioral,
			Kind:       mcpproxy.KindUnexplained,
			Category:   "exfiltration",
			Severity:   mcpproxy.SeverityMedium,
			Confidence: 0.7,
			Evidence: fmt.Sprintf(
				"addresses at %s that hold %d characters which nothing explains", mask(u.Site), u.Characters(),
			),
		})
	}
	in.Tables.Mark(w.call, out)
	return out
}

// sends reports whether the call hands something to the outside: by what it
// does, or because internal data is seen going with it.
func (p *traced) sends() bool {
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
func (p *traced) trifecta() []mcpproxy.Signal {
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
