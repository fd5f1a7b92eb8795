package replay

import (
	"cmp"
	"context"
	"slices"
	"time"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// Scan calls f with records until it returns an error.
type Scan func(f func(*mcpproxy.Record) error) error

// Change is a call that would have been decided otherwise.
type Change struct {
	ID      string            `json:"activity_id"`
	Time    time.Time         `json:"time"`
	Server  string            `json:"server,omitempty"`
	Tool    string            `json:"tool"`
	Was     mcpproxy.Decision `json:"was"`
	WasRule string            `json:"was_rule,omitempty"`
	Would   mcpproxy.Decision `json:"would_be"`
	Rule    string            `json:"rule,omitempty"`
	Reason  string            `json:"reason,omitempty"`
}

// Count is how many calls went from one decision to another.
type Count struct {
	Was   mcpproxy.Decision `json:"was"`
	Would mcpproxy.Decision `json:"would_be"`
	Calls int               `json:"calls"`
}

// Sum is what a simulation comes to.
type Sum struct {
	Calls     int      `json:"calls"`     // that were decided again
	Changed   int      `json:"changed"`   //
	Undecided int      `json:"undecided"` // calls that the log does not keep enough of, or that no policy decides
	Masked    int      `json:"masked"`    // calls with masked values that a rule may have looked at
	Table     []Count  `json:"table"`     // every pair of decisions that was met
	Notes     []string `json:"notes"`     // what the log cannot tell
}

// Simulate asks a policy about every call of the log again, and hands those that it
// would have decided otherwise to changed, in the order of the log.
func Simulate(ctx context.Context, scan Scan, p Policy, changed func(Change) error) (Sum, error) {
	sum := Sum{Table: []Count{}, Notes: []string{}}
	counts := map[[2]mcpproxy.Decision]int{}
	err := scan(func(r *mcpproxy.Record) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !decided(r) {
			return nil
		}
		f, ok := Facts(r)
		if !ok {
			sum.Undecided++
			return nil
		}
		was, would := *r.Metadata.Ruled, p.Ask(f)
		sum.Calls++
		if p.Arguments && masked(r) {
			sum.Masked++
		}
		counts[[2]mcpproxy.Decision{was.Decision, would.Decision}]++
		if was.Decision == would.Decision {
			return nil
		}
		sum.Changed++
		return changed(Change{
			ID:      r.ID,
			Time:    r.Timestamp,
			Server:  r.ServerName,
			Tool:    r.ToolName,
			Was:     was.Decision,
			WasRule: was.Rule,
			Would:   would.Decision,
			Rule:    would.Rule,
			Reason:  reason(r, would),
		})
	})
	for pair, n := range counts {
		sum.Table = append(sum.Table, Count{pair[0], pair[1], n})
	}
	slices.SortFunc(sum.Table, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.Was.Rank(), b.Was.Rank()), cmp.Compare(a.Would.Rank(), b.Would.Rank()))
	})
	sum.note()
	return sum, err
}

// decided reports whether a record is about a call that somebody may have decided.
func decided(r *mcpproxy.Record) bool {
	switch r.Type {
	case mcpproxy.RecordToolCall, mcpproxy.RecordPolicyDecision:
		return true
	case mcpproxy.RecordHookEvaluation: // of a call before it is made
		return r.Metadata.Ruled != nil
	}
	return false
}

// masked reports whether the log hides something of the arguments.
func masked(r *mcpproxy.Record) bool {
	d := r.Metadata.Sensitive
	return d != nil && d.Detected &&
		slices.ContainsFunc(
			d.Detections,
			func(d mcpproxy.Detection) bool { return !ofResult(mcpproxy.Signal{Path: d.Location}) },
		)
}

// reason is a reason without what the log masks: rules quote names only, and the
// record's own reason is masked already.
func reason(r *mcpproxy.Record, would policy.Ruling) string {
	if would.Rule == r.Metadata.Ruled.Rule {
		return r.Metadata.Reason
	}
	return would.Reason
}

// note says what the log cannot tell.
func (s *Sum) note() {
	if s.Undecided > 0 {
		s.Notes = append(
			s.Notes,
			"Calls are left out that no policy decides (quarantine, the scope of a token, unreadable arguments, commands that change what agents may do), "+
				"and those that were written down without what they were decided by: by an earlier version, or by signs of exfiltration while "+
				"security.alerts.exfiltration_detection was off.",
		)
	}
	if s.Masked > 0 {
		s.Notes = append(s.Notes, "Rules that look at call.args saw masks in the place of secrets.")
	}
	s.Notes = append(
		s.Notes,
		"Each call is decided by what its session had met then; that an earlier call would have been stopped changes nothing of it. "+
			"What happens to results (security.content_scan) is not replayed.",
	)
}
