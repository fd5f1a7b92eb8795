package mcpproxy

import "strings"

// Decision is what happens to a call or to its result.
type Decision string

// The decisions, mildest first.
const (
	Allow  Decision = "allow"
	Warn   Decision = "warn"   // allowed, logged, alerted
	Redact Decision = "redact" // allowed with values replaced
	Ask    Decision = "ask"    // a human decides
	Deny   Decision = "deny"
)

// Stops reports whether d keeps a call from its tool. Deny always does; Ask does until a person allows the call.
func (d Decision) Stops() bool { return d == Ask || d == Deny }

// Rank orders decisions: a higher rank is stricter.
func (d Decision) Rank() int {
	switch d {
	case Warn:
		return 1
	case Redact:
		return 2
	case Ask:
		return 3
	case Deny:
		return 4
	}
	return 0
}

// RiskLevel is a band of the risk score.
type RiskLevel string

// The bands of RFC-004. RiskNone is the level of a call without signals.
const (
	RiskNone     RiskLevel = "none"
	RiskLow      RiskLevel = "low"
	RiskMedium   RiskLevel = "medium"
	RiskHigh     RiskLevel = "high"
	RiskCritical RiskLevel = "critical"
)

// RiskLevels lists the levels, lowest first.
var RiskLevels = []RiskLevel{RiskNone, RiskLow, RiskMedium, RiskHigh, RiskCritical}

// Rank orders risk levels: a higher rank is worse. An unknown level ranks -1.
func (l RiskLevel) Rank() int {
	for i, level := range RiskLevels {
		if l == level {
			return i
		}
	}
	return -1
}

// Band is a range of risk scores with its level and its action (RFC-004, Score Interpretation).
type Band struct {
	From, To int // both inclusive
	Level    RiskLevel
	Action   string
}

// RiskBands are the four bands, lowest first. The thresholds in security.risk_assessment do not depend on them.
var RiskBands = []Band{
	{0, 29, RiskLow, "log only"},
	{30, 49, RiskMedium, "optional review"},
	{50, 69, RiskHigh, "flag for review"},
	{70, 100, RiskCritical, "require approval, optionally block"},
}

// BandOf returns the band of a score from 0 to 100.
func BandOf(score int) Band {
	for _, b := range RiskBands {
		if score <= b.To {
			return b
		}
	}
	return RiskBands[len(RiskBands)-1]
}

// Verdict is the gate's decision about a call or its result, with the reasons for it.
type Verdict struct {
	Decision  Decision  `json:"decision"`
	RiskScore int       `json:"risk_score"` // 0 to 100
	RiskLevel RiskLevel `json:"risk_level"`
	Reason    string    `json:"reason,omitempty"`
	Rule      string    `json:"rule,omitempty"` // the configuration key that decided
	Signals   []Signal  `json:"signals,omitempty"`
	Edges     []Edge    `json:"flow_edges,omitempty"`
	Asked     bool      `json:"asked,omitempty"`    // the policy decided to ask, but nobody could be asked
	ID        string    `json:"activity_id"`        // id of the record; empty if a stop could not be recorded
	Approval  string    `json:"approval,omitempty"` // id of the request by which a person was asked

	// Remembered says for how long the earlier answer of a person that decided holds; "" if no earlier answer
	// decided.
	Remembered Remembered `json:"remembered,omitempty"`

	Contradictions []ContradictionResult `json:"contradictions,omitempty"`
}

// GroupRule is the prefix of the rules that keep groups of servers apart.
const GroupRule = "groups."

// NetworkRule is the rule that refuses connections to hosts that are not in a server's list of hosts.
const NetworkRule = "isolation.network"

// Code returns CodeGroupDenied if a rule about groups stopped the call, so that scripts can recognise this stop.
// Otherwise it returns "".
func (v Verdict) Code() Code {
	if v.Decision.Stops() && strings.HasPrefix(v.Rule, GroupRule) {
		return CodeGroupDenied
	}
	return ""
}
