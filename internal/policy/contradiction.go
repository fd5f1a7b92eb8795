package policy

import (
	"fmt"

	"mcpproxy"
)

// RuleContradiction is the rule for calls about which two claims contradict each other.
const RuleContradiction = "security.tool_policy.contradiction"

// contradiction returns the decision for the most serious contradiction. The matrix of RFC-004 proposes it, and
// security.tool_policy.contradiction is the upper limit: "deny" follows the matrix, "ask" and "warn" make it milder,
// "allow" turns it off.
func (t *Tables) contradiction(f Facts) Ruling {
	best := Ruling{Decision: mcpproxy.Allow}
	for _, c := range f.Contradictions {
		d := c.Action
		if t.Contradiction.Rank() < d.Rank() {
			d = t.Contradiction
		}
		if d.Rank() <= best.Decision.Rank() {
			continue
		}
		best = Ruling{d, RuleContradiction, c.Explanation}
	}
	if more := len(f.Contradictions) - 1; more > 0 && best.Reason != "" {
		best.Reason += fmt.Sprintf(" (%d more)", more)
	}
	return best
}
