package policy

import "mcpproxy"

// Settled reports whether a call will be let through whatever further facts are found about it. It needs the call,
// its class and operation, the texts, and the legs of its session. Edges, destinations and signals may be added
// later.
//
// It returns true for calls that stay inside, in sessions that have read no injected instruction. Then no edge leads
// outside, no instruction named a destination, and no rule about data that leaves applies. The other inputs are known
// already: endpoints, overrides and the operation. It returns false on a managed machine, if the user's own rules may
// read any fact, and if the lowest possible score of such a call decides. It does not consider calls that cannot be
// read, about which no policy decides.
func (t *Tables) Settled(f Facts) bool {
	if f.Class().Side != mcpproxy.Internal || f.Class().Leaves() || f.Legs.Injected != nil ||
		t.Groups[f.Call.Server] != "" || t.Floor != nil {
		return false
	}
	if f.Operation != mcpproxy.Read && (f.Legs.Private != nil || f.Legs.Untrusted != nil) {
		return false // the call may have been copied from what was read
	}
	if t.Rules != nil || t.Risk.Enabled && t.Risk.Approve <= mostInside {
		return false
	}
	if f.Call.Server != "" { // a server's claims can be contradicted
		return false
	}
	d := t.Decide(f).Decision
	return d == mcpproxy.Allow || d == mcpproxy.Warn
}

// mostInside is the highest score of an agent's own tool that stays inside. The signal for it is encoded text beyond
// what is read.
const mostInside = 30
