package gate

import (
	"mcpproxy"
	"mcpproxy/internal/text"
)

// Preview is the result of [Gate.Preview].
type Preview struct {
	settings *Settings
	doc      *text.Document // the arguments; nil if they were not read
}

// Preview checks, for a call that a hook announces, everything that can stop a call that stays on this machine: it
// searches the call's texts for endpoints. free says that no further check can stop the call. Its agent then need not
// wait for [Gate.Decide], and the request says that the call is Released.
//
// A call is never free if anything other than the configured tables can decide about it, if its session has read an
// injected instruction, or after a call was free by mistake. The one possible mistake is that the detector fails: a
// call that it cannot read is normally stopped, but a free call was already made. Running the detector first would
// take the time that Preview saves.
func (g *Gate) Preview(call *mcpproxy.Call) (p *Preview, free bool) {
	d := g.begin(Request{Call: call})
	s := d.settings
	p = &Preview{settings: s}
	if call.Kind != mcpproxy.KindTool || call.Server != "" || len(call.Extra) > 0 ||
		len(call.Arguments) > maxPreview ||
		g.surprised.Load() {
		return p, false
	}
	if _, never := s.never(call, mcpproxy.UnknownOperation); never {
		return p, false
	}
	f, doc, ok := s.inspector.Preview(call)
	if !ok {
		return p, false
	}
	p.doc = doc
	return p, s.Tables.Settled(f)
}

// maxPreview is the maximum length of arguments that are read without waiting for the budget.
const maxPreview = 1 << 20

// note changes a verdict that would stop a call after the call was released: it becomes a warning, whose reason says
// that the call had been let through. No later call is released until the configuration changes.
func (g *Gate) note(v *mcpproxy.Verdict) {
	if v.Decision.Stops() {
		g.surprised.Store(true)
		v.Decision = mcpproxy.Warn
		v.Reason += " The call had been let through before that was known."
	}
}
