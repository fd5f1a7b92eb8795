package definition

import (
	"cmp"
	"slices"

	"mcpproxy"
	"mcpproxy/internal/scan"
)

// Finding combines the signals about one definition.
type Finding struct {
	Server      string            `json:"server"`
	Kind        Kind              `json:"kind"`
	Tool        string            `json:"tool"`
	ThreatType  string            `json:"threat_type"`
	ThreatLevel string            `json:"threat_level"` // dangerous or warning
	Severity    mcpproxy.Severity `json:"severity"`
	Action      string            `json:"action"`     // quarantine or review
	Confidence  float64           `json:"confidence"` // 0 to 1; different checks that agree raise it
	Signals     []string          `json:"signals"`    // names of the checks, without duplicates
	Details     []Signal          `json:"details"`
}

// The threat levels and actions of a finding.
const (
	Dangerous  = "dangerous"
	Warning    = "warning"
	Quarantine = "quarantine"
	Review     = "review"
)

// Hard reports whether the finding alone justifies quarantine.
func (f Finding) Hard() bool { return f.ThreatLevel == Dangerous }

// aggregate combines the signals about a definition.
func aggregate(t *ToolView, signals []Signal) Finding {
	f := Finding{
		Server:      t.Server,
		Kind:        t.kind(),
		Tool:        t.Name,
		ThreatLevel: Warning,
		Action:      Review,
	}
	best := signals[0]
	sure := map[string]float64{}
	soft := 0
	for _, s := range signals {
		if !slices.Contains(f.Signals, s.CheckID) {
			f.Signals = append(f.Signals, s.CheckID)
			soft++
		}
		sure[s.CheckID] = max(sure[s.CheckID], s.Confidence)
		if stronger(s, best) > 0 {
			best = s
		}
	}
	for _, id := range f.Signals { // in order, because floating-point addition is not associative
		f.Confidence += sure[id]
	}
	f.Confidence = min(f.Confidence, 1)
	f.ThreatType = best.ThreatType
	f.Severity = softSeverity(soft)
	if best.Tier == scan.TierHard {
		f.ThreatLevel, f.Action = Dangerous, Quarantine
		f.Severity = mcpproxy.SeverityHigh
		isCritical := func(s Signal) bool {
			return s.Tier == scan.TierHard && s.Severity == mcpproxy.SeverityCritical
		}
		if slices.ContainsFunc(signals, isCritical) {
			f.Severity = mcpproxy.SeverityCritical
		}
	}
	f.Details = signals
	return f
}

// softSeverity returns the severity of soft signals of n checks together.
func softSeverity(n int) mcpproxy.Severity {
	switch {
	case n >= 3:
		return mcpproxy.SeverityHigh
	case n == 2:
		return mcpproxy.SeverityMedium
	}
	return mcpproxy.SeverityLow
}

// stronger orders signals by strength: positive if a is stronger.
func stronger(a, b Signal) int {
	return cmp.Or(
		cmp.Compare(rank(a), rank(b)),
		cmp.Compare(a.Confidence, b.Confidence),
	)
}

// rank returns 0 for a soft signal, more for a hard one, most for a critical one.
func rank(s Signal) int {
	switch {
	case s.Tier != scan.TierHard:
		return 0
	case s.Severity == mcpproxy.SeverityCritical:
		return 2
	}
	return 1
}

// The contributions of findings to the risk score. All soft findings together contribute less than one hard finding.
const (
	softPoints     = 5 // each check of a definition with soft signals only
	maxSoft        = 45
	hardPoints     = 60 // the first hard signal
	criticalPoints = 80 // the same, if it is critical
	morePoints     = 10 // each further hard check
)

// riskScore returns the risk of all findings together, 0 to 100. Every independent signal adds to it.
func riskScore(findings []Finding) int {
	hard, soft := 0, 0
	for _, f := range findings {
		ids := map[string]bool{} // whether the check found something hard
		for _, s := range f.Details {
			ids[s.CheckID] = ids[s.CheckID] || s.Tier == scan.TierHard
		}
		for _, isHard := range ids {
			switch {
			case !isHard:
				soft += softPoints
			case hard == 0:
				hard = hardPoints
			default:
				hard += morePoints
			}
		}
		if f.Hard() && f.Severity == mcpproxy.SeverityCritical {
			hard = max(hard, criticalPoints)
		}
	}
	return min(hard+min(soft, maxSoft), 100)
}
