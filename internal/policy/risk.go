package policy

import (
	"fmt"

	"mcpproxy"
)

// Rules about the total risk score.
const (
	RuleFlag    = "security.risk_assessment.auto_flag_threshold"
	RuleApprove = "security.risk_assessment.require_approval_threshold"
	RuleBlock   = "security.risk_assessment.block_on_critical"
)

// Risk holds the thresholds of security.risk_assessment. The zero value decides nothing.
type Risk struct {
	Enabled bool
	Flag    int  // minimum score at which a call is flagged, 0 to 100
	Approve int  // minimum score at which a person is asked
	Block   bool // whether calls of critical risk are denied
}

// Flags reports whether a call of this score is flagged for review.
func (r Risk) Flags(score int) bool { return r.Enabled && score > 0 && score >= r.Flag }

// Held returns the score that is compared with the thresholds. Sensitive data does not count if it stays inside, and
// neither does a secret that goes to its own audience.
func (f *Facts) Held() int {
	if f.Class().Leaves() && !f.keepsSecrets() {
		return f.RiskScore
	}
	return f.RiskWithout
}

// risk decides by the score of all signals. Data that will be redacted does not count.
func (t *Tables) risk(f Facts, redacted bool, skip func(rule string) bool) Ruling {
	score, level := f.Held(), f.RiskLevel
	if redacted || !f.Class().Leaves() || f.keepsSecrets() {
		score, level = f.RiskWithout, mcpproxy.BandOf(f.RiskWithout).Level
	}
	switch r := t.Risk; {
	case !r.Enabled || score == 0 && level != mcpproxy.RiskCritical:
	case r.Block && level == mcpproxy.RiskCritical && !skip(RuleBlock):
		return Ruling{mcpproxy.Deny, RuleBlock, fmt.Sprintf("The risk is critical (score %d).", score)}
	case score >= r.Approve && !skip(RuleApprove) && !f.entitled():
		return Ruling{
			mcpproxy.Ask,
			RuleApprove,
			fmt.Sprintf("The risk score is %d, and from %d on somebody must approve.", score, r.Approve),
		}
	case r.Flags(score) && !skip(RuleFlag):
		return Ruling{
			mcpproxy.Warn,
			RuleFlag,
			fmt.Sprintf("The risk score is %d, and from %d on calls are flagged.", score, r.Flag),
		}
	}
	return Ruling{Decision: mcpproxy.Allow}
}
