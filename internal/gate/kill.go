package gate

import (
	"mcpproxy"
	"mcpproxy/internal/policy"
)

// Kill turns the kill switch on or off for the calls to come; what runs is stopped
// where it can be.
func (g *Gate) Kill(on bool) {
	for {
		old := g.settings.Load()
		s := *old
		s.Kill = on
		if g.settings.CompareAndSwap(old, &s) {
			return
		}
	}
}

// Killed is the ruling about every call while the kill switch is on; on is false while
// it is not.
func (g *Gate) Killed() (r policy.Ruling, on bool) { return killed, g.settings.Load().Kill }

// withhold keeps back the result of a call that was sent before the kill switch
// was turned on.
func (g *Gate) withhold(v mcpproxy.Verdict) mcpproxy.Verdict {
	if g.settings.Load().Kill && !v.Decision.Stops() {
		v.Decision, v.Rule, v.Reason = killed.Decision, killed.Rule, killed.Reason+" The call had been sent already."
	}
	return v
}
