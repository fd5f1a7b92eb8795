package policy

import (
	"fmt"

	"mcpproxy"
)

// Rules about the risk score as a whole.
const (
	RuleFlag    = "security.risk_assessment.auto_flag_threshold"
	RuleApprove = "security.risk_assessment.require_approval_threshold"
	RuleBlock   = "security.risk_assessment.block_on_critical"
)

// Risk are the thresholds of security.risk_assessment. The zero value decides
// nothing.
type Risk struct {
	Enabled bool
	Flag    int  // score from which a call is flagged, 0 to 100
	Approve int  // score from which somebody is asked
	Block   bool // calls of critical risk are denied
}

// Flags reports whether a call of this score is flagged for review.
func (r Risk) Flags(score int) bool { return r.Enabled && score > 0 && score >= r.Flag }

// Held is the score that a call is held against the thresholds with: sensitive
// data that stays inside does not count, as it is where it belongs; nor does a secret that
// goes to its own audience.
func (f *Facts) Held() int {
	if f.Class().Leaves() && !f.keepsSecrets() {
		return f.RiskScore
	}
	return f.RiskWithout
}

// risk is the answer to all signals together. What will be redacted is no risk.
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
