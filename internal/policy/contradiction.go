package policy

import (
	"fmt"

	"mcpproxy"
)

// RuleContradiction is the rule about calls of which two claims cannot both be
// true.
const RuleContradiction = "security.tool_policy.contradiction"

// contradiction is the answer to the gravest contradiction: what it deserves by
// RFC-004's matrix, but never more than is configured. So "deny" follows the
// matrix, "ask" and "warn" make it milder, "allow" turns it off.
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
