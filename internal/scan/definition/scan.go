package definition

import (
	"slices"

	"mcpproxy"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/text"
)

// Coverage says how much of a scan was done. A check that failed is no finding
// and no silence: the definitions it failed on are listed.
type Coverage struct {
	ChecksRun      int      `json:"checks_run"`
	ChecksFailed   int      `json:"checks_failed"`
	FailedCheckIDs []string `json:"failed_check_ids,omitempty"`

	// Unread lists the definitions that some check failed on, each once, in the
	// order of the scan. Callers should treat them as not yet scanned.
	Unread []Unread `json:"unread,omitempty"`
}

// Unread names a definition that could not be read by every check.
type Unread struct {
	Server string `json:"server"`
	Kind   Kind   `json:"kind"`
	Tool   string `json:"tool"`
}

// Report is the outcome of a scan.
type Report struct {
	Findings  []Finding `json:"findings"`   // at most one per definition, in the order of the scan
	RiskScore int       `json:"risk_score"` // 0 to 100, of all of them together
	Coverage  Coverage  `json:"coverage"`
	Tools     int       `json:"tools"` // definitions scanned
}

// Scanner scans definitions. The zero value is ready for use.
type Scanner struct {
	// Secrets, if set, finds secrets in a document, with evidence that is masked
	// already. It turns on the check secret.embedded.
	Secrets func(*text.Document) ([]mcpproxy.Signal, error)

	// Memory, if set, is asked for what was found before in a definition that has
	// not changed. It belongs to scanners with the same Secrets.
	Memory *Memory
}

// Scan scans views with the checks of [Checks]; see [Scanner.Scan].
func Scan(views []ToolView, reg *RegistryView) Report { return Scanner{}.Scan(views, reg) }

// Checks lists the checks that s runs, in order.
func (s Scanner) Checks() []Check {
	if s.Secrets == nil {
		return Checks()
	}
	return append(Checks(), secretCheck{s.Secrets})
}

// Scan scans views beside the tools of reg, or beside each other when reg is
// nil. It never panics and reaches nothing; equal input gives an equal report.
// Its cost is linear in the size of views and reg.
func (s Scanner) Scan(views []ToolView, reg *RegistryView) Report {
	return scanWith(s.Checks(), views, reg, s.Memory)
}

func scanWith(checks []Check, views []ToolView, reg *RegistryView, memory *Memory) Report {
	defer memory.turn()
	if reg == nil {
		reg = NewRegistry(views)
	}
	r := Report{Tools: len(views), Findings: []Finding{}}
	r.Coverage.ChecksRun = len(checks)
	failed := make([]bool, len(checks))
	for i := range views {
		view := views[i]
		view.keep() // what is worked out for it is dropped after its turn
		if k := views[i].kept; k != nil {
			view.kept.print = k.print // small, and asked for by every registry
		}
		found := memory.of(&view, checks)
		var signals []Signal
		whole := true
		for n, c := range checks {
			got, ok := found.signals[n], !found.failed[n]
			if shadowing, is := c.(shadowCheck); is && ok { // what is beside it may have changed
				got, ok = inspect(c.ID(), func() []Signal { return shadowing.beside(&view, found.shadow, reg) })
			}
			signals = append(signals, got...)
			failed[n] = failed[n] || !ok
			whole = whole && ok
		}
		if !whole {
			r.Coverage.Unread = append(r.Coverage.Unread, Unread{view.Server, view.kind(), view.Name})
		}
		if len(signals) > 0 {
			r.Findings = append(r.Findings, aggregate(&view, signals))
		}
	}
	for n, bad := range failed {
		if bad {
			r.Coverage.FailedCheckIDs = append(r.Coverage.FailedCheckIDs, checks[n].ID())
		}
	}
	r.Coverage.ChecksFailed = len(r.Coverage.FailedCheckIDs)
	r.RiskScore = riskScore(r.Findings)
	return r
}

// inspect runs a check of the given name; ok is false when it panicked.
func inspect(id string, run func() []Signal) (signals []Signal, ok bool) {
	defer func() {
		if recover() != nil {
			signals, ok = nil, false
		}
	}()
	signals = run()
	for i := range signals {
		s := &signals[i]
		s.CheckID = id
		s.Severity = severityOf(s)
		s.Confidence = min(max(s.Confidence, 0), 1)
		s.Evidence = cut(s.Evidence)
	}
	slices.SortStableFunc(signals, func(a, b Signal) int { return stronger(b, a) })
	return signals[:min(len(signals), maxSignals)], true
}

// maxSignals is how many signals of one check about one definition are kept, the
// strongest of them.
const maxSignals = 8

// severityOf is how bad a signal of a check is. A hard one is high, and critical
// only where something was hidden on purpose.
func severityOf(s *Signal) mcpproxy.Severity {
	switch {
	case s.Tier != scan.TierHard:
		return s.Severity
	case s.Severity == mcpproxy.SeverityCritical && (s.CheckID == idHidden || s.CheckID == idPayload):
		return s.Severity
	}
	return mcpproxy.SeverityHigh
}
