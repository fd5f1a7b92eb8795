package gate

import (
	"mcpproxy"
	"mcpproxy/internal/policy"
)

// Kill turns the kill switch on or off for later calls. Turning it on also stops running calls where possible.
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

// Closed returns the ruling that every call gets while the kill switch is on, or while the activity log cannot be
// written and activity.on_failure is deny. closed is false otherwise.
func (g *Gate) Closed() (r policy.Ruling, closed bool) { return g.settings.Load().closed() }

func (s *Settings) closed() (policy.Ruling, bool) {
	if s.Kill {
		return policy.Killed, true
	}
	if s.LogFailure != nil {
		if err := s.LogFailure(); err != nil {
			return policy.Ruling{
				Decision: mcpproxy.Deny,
				Rule:     policy.RuleLog,
				Reason:   "Every call is denied while the activity log cannot be written: " + err.Error() + ". The user can run `mcpproxy doctor` to see what is wrong.",
			}, true
		}
	}
	return policy.Ruling{}, false
}

// withhold withholds the result of a call that was sent before the kill switch was turned on.
func (g *Gate) withhold(v mcpproxy.Verdict) mcpproxy.Verdict {
	if g.settings.Load().Kill && !v.Decision.Stops() {
		v.Decision = policy.Killed.Decision
		v.Rule = policy.Killed.Rule
		v.Reason = policy.Killed.Reason + " The call had been sent already."
	}
	return v
}
