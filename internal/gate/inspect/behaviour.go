package inspect

import (
	"cmp"
	"fmt"
	"slices"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/risk"
)

// send returns how a call counts as a send to the outside. Once its session has read sensitive data, everything that
// leaves counts, including the words of a search.
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
	if len(s.Destinations) == 0 { // a server is one destination, whichever tools it has
		s.Destinations = []string{cmp.Or(w.call.Server, s.Tool)}
	}
	out.outgoing = s
	return out
}

// unreadable returns the signals for data that leaves in an unreadable form: a payload that no view decodes, or
// addresses with unexplained content.
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

// sends reports whether the call sends something outside: its purpose is to send, or internal data is seen in it.
func (p *traced) sends() bool {
	return p.class.Sends(p.operation) ||
		slices.ContainsFunc(p.lineage.Edges, func(e mcpproxy.Edge) bool {
			return e.Type == mcpproxy.InternalToExternal
		})
}

// place names the destination of a call without its data. The address of a resource can contain data.
func place(c *mcpproxy.Call) string {
	switch {
	case c.Server == "":
		return c.Tool
	case c.Kind != mcpproxy.KindTool:
		return c.Server
	}
	return c.Server + ":" + c.Tool
}

// trifecta returns the signal for the complete lethal trifecta: the session has read private data and outsiders'
// text, and now sends (RFC-004, The Lethal Trifecta). Normal work often does this, so the confidence depends on how
// serious the parts are.
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
	if d := p.lineage.Destinations; len(d) > 0 && !slices.ContainsFunc(d, other) { // the user named all of them
		s.Confidence /= 3
	}
	return []mcpproxy.Signal{s}
}
