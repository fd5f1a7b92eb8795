package definition

import (
	"slices"

	"mcpproxy"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/text"
)

// Coverage says how much of a scan succeeded. A failed check is neither a finding nor silence: its definitions are
// listed.
type Coverage struct {
	ChecksRun      int      `json:"checks_run"`
	ChecksFailed   int      `json:"checks_failed"`
	FailedCheckIDs []string `json:"failed_check_ids,omitempty"`

	// Unread lists the definitions on which a check failed, without duplicates, in the order of the scan. Callers
	// should treat them as not scanned.
	Unread []Unread `json:"unread,omitempty"`
}

// Unread names a definition that not every check could read.
type Unread struct {
	Server string `json:"server"`
	Kind   Kind   `json:"kind"`
	Tool   string `json:"tool"`
}

// Report is the result of a scan.
type Report struct {
	Findings  []Finding `json:"findings"`   // at most one per definition, in the order of the scan
	RiskScore int       `json:"risk_score"` // 0 to 100, of all of them together
	Coverage  Coverage  `json:"coverage"`
	Tools     int       `json:"tools"` // definitions scanned
}

// Scanner scans definitions. The zero value is ready for use.
type Scanner struct {
	// Secrets, if set, finds secrets in a document, with masked evidence. It enables the check secret.embedded.
	Secrets func(*text.Document) ([]mcpproxy.Signal, error)

	// Memory, if set, caches signals about unchanged definitions. It must only be shared by scanners with the same
	// Secrets.
	Memory *Memory
}

// Scan scans views with the checks of [Checks]; see [Scanner.Scan].
func Scan(views []ToolView, reg *RegistryView) Report { return Scanner{}.Scan(views, reg) }

// Checks returns the checks that s runs, in order.
func (s Scanner) Checks() []Check {
	if s.Secrets == nil {
		return Checks()
	}
	return append(Checks(), secretCheck{s.Secrets})
}

// Scan scans views together with the tools of reg, or with each other if reg is nil. It never panics and has no side
// effects; equal input gives an equal report. The cost is linear in the size of views and reg.
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
		view.keep() // the results computed for it are dropped afterwards
		if k := views[i].kept; k != nil {
			view.kept.print = k.print // this is small, and every registry needs it
		}
		found := memory.of(&view, checks)
		var signals []Signal
		whole := true
		for n, c := range checks {
			got, ok := found.signals[n], !found.failed[n]
			if shadowing, is := c.(shadowCheck); is && ok { // the other definitions may have changed
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

// inspect runs a check with the given name; ok is false if it panicked.
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

// maxSignals is the maximum number of signals of one check about one definition. The strongest are kept.
const maxSignals = 8

// severityOf returns the severity of a check's signal. A hard one is high, and critical only if something was hidden
// deliberately.
func severityOf(s *Signal) mcpproxy.Severity {
	switch {
	case s.Tier != scan.TierHard:
		return s.Severity
	case s.Severity == mcpproxy.SeverityCritical && (s.CheckID == idHidden || s.CheckID == idPayload):
		return s.Severity
	}
	return mcpproxy.SeverityHigh
}
