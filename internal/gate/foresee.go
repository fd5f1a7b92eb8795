package gate

import (
	"context"

	"mcpproxy"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/text"
)

// Foresee reads of a call that a hook tells of what can stop a call that stays on
// this machine: its texts, for endpoints. It reports free when nothing that remains
// to be found can stop the call, so that its agent need not wait for [Gate.Foreseen];
// else the call is to be decided by [Gate.ToldForeseen].
//
// A call is never free where anything but the tables of configuration has a say in
// it, once its session has met an instruction, and after a call that was free by
// mistake. The one mistake that can be made is that the detector fails: what it has
// not read is stopped elsewhere, and here it has gone. Asking it first would cost
// what the agent is spared.
func (g *Gate) Foresee(call *mcpproxy.Call) (p *Pass, free bool) {
	p = g.begin(call)
	s := p.settings
	if call.Kind != mcpproxy.KindTool || call.Server != "" || len(call.Extra) > 0 || g.surprised.Load() {
		return p, false
	}
	if _, never := s.never(call, mcpproxy.UnknownOperation); never {
		return p, false
	}
	f := policy.Facts{Call: call, Class: s.Classifier.AgentTool(call.Tool), Operation: s.Classifier.AgentOperation(call.Tool)}
	if f.Class.Side != mcpproxy.Internal || f.Class.Leaves() {
		return p, false
	}
	doc, err := text.Parse(call.Arguments, argumentsRoot)
	if err != nil || len(commandLines(call, p.words(), doc)) > 0 || s.Own.changedIn(call, f.Operation, doc) != "" {
		return p, false
	}
	p.ahead, f.Strings = doc, values(doc)
	f.Legs = g.tracker.Legs(call.FlowSession)
	return p, s.Tables.Settled(f)
}

// ToldForeseen is [Gate.Told] for a call that Foresee has begun to read.
func (g *Gate) ToldForeseen(ctx context.Context, p *Pass, h Hook) *Pass {
	return g.decideTold(ctx, p, h)
}

// Foreseen looks at a call that Foresee has let go, and writes it down. It can stop
// nothing any more.
func (g *Gate) Foreseen(ctx context.Context, p *Pass, h Hook) *Pass {
	p.gone = true
	return g.decideTold(ctx, p, h)
}

// letGo is the verdict about a call that has been let go: what would have stopped it
// is said, and no call after it is let go like this, until configuration changes.
func (g *Gate) letGo(v *mcpproxy.Verdict) {
	if v.Decision.Stops() {
		g.surprised.Store(true)
		v.Decision = mcpproxy.Warn
		v.Reason += " The call had been let through before that was known."
	}
}
