package policy

import "mcpproxy"

// Settled reports whether a call will be let through whatever else is found about
// it. Of the facts it needs the call, its class and operation, the texts, and the
// legs of its session; edges, destinations and signals may come later.
//
// It does so for calls that stay inside, in sessions that have met no instruction:
// then no edge leads outside, no destination was chosen by an instruction, and no
// rule about what leaves applies. What remains is known already: the endpoints, the
// override, the operation. It never does on a managed machine, or where rules of the user's own may look at
// anything, or where the least score that such a call can have decides. It says
// nothing about a call that cannot be read: that is no policy's to decide.
func (t *Tables) Settled(f Facts) bool {
	if f.Class().Side != mcpproxy.Internal || f.Class().Leaves() || f.Legs.Injected != nil ||
		t.Groups[f.Call.Server] != "" || t.Floor != nil {
		return false
	}
	if f.Operation != mcpproxy.Read && (f.Legs.Private != nil || f.Legs.Untrusted != nil) {
		return false // what was read may have spelled it
	}
	if t.Rules != nil || t.Risk.Enabled && t.Risk.Approve <= mostInside {
		return false
	}
	if f.Call.Server != "" { // what a server says can be contradicted
		return false
	}
	d := t.Decide(f).Decision
	return d == mcpproxy.Allow || d == mcpproxy.Warn
}

// mostInside is the most that counts of a call of an agent's own tool that stays
// inside: that it holds more disguised text than is read.
const mostInside = 30
