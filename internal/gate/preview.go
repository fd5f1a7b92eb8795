package gate

import (
	"mcpproxy"
	"mcpproxy/internal/text"
)

// Preview is what [Gate.Preview] has read of a call.
type Preview struct {
	settings *Settings
	doc      *text.Document // the arguments; nil where they were not read
}

// Preview reads of a call that a hook announces what can stop a call that stays on this
// machine: its texts, for endpoints. It reports free when nothing that remains to be found
// can stop the call: then its agent need not wait for [Gate.Decide], and the request says
// that the call is Released.
//
// A call is never free where anything but the tables of configuration has a say in
// it, once its session has met an instruction, and after a call that was free by
// mistake. The one mistake that can be made is that the detector fails: what it has
// not read is stopped elsewhere, and here it has gone. Asking it first would cost
// what the agent is spared.
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

// maxPreview is how long arguments may be that are read without waiting for room.
const maxPreview = 1 << 20

// note changes the verdict about a call that was released: what would have stopped it is
// said, and no call after it is released, until configuration changes.
func (g *Gate) note(v *mcpproxy.Verdict) {
	if v.Decision.Stops() {
		g.surprised.Store(true)
		v.Decision = mcpproxy.Warn
		v.Reason += " The call had been let through before that was known."
	}
}
