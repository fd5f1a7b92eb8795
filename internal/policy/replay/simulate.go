package replay

import (
	"cmp"
	"context"
	"slices"
	"time"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// Scan calls f with records until f returns an error.
type Scan func(f func(*mcpproxy.Record) error) error

// Change is a call about which the policy decides differently.
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

// Count is the number of calls whose decision changed from one to another.
type Count struct {
	Was   mcpproxy.Decision `json:"was"`
	Would mcpproxy.Decision `json:"would_be"`
	Calls int               `json:"calls"`
}

// Sum is the result of a simulation.
type Sum struct {
	Calls     int      `json:"calls"`     // calls that were decided again
	Changed   int      `json:"changed"`   //
	Undecided int      `json:"undecided"` // calls about which the log contains too little, or that no policy decides
	Masked    int      `json:"masked"`    // calls with masked values that a rule may have read
	Table     []Count  `json:"table"`     // every pair of decisions that occurred
	Notes     []string `json:"notes"`     // what the log does not contain
}

// Simulate applies a policy to every call of the log again. It passes the calls about which the policy decides
// differently to changed, in the order of the log.
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

// decided reports whether a record is about a call that a policy may have decided.
func decided(r *mcpproxy.Record) bool {
	switch r.Type {
	case mcpproxy.RecordToolCall, mcpproxy.RecordPolicyDecision:
		return true
	case mcpproxy.RecordHookEvaluation: // the evaluation before the call
		return r.Metadata.Ruled != nil
	}
	return false
}

// masked reports whether the log masks parts of the arguments.
func masked(r *mcpproxy.Record) bool {
	d := r.Metadata.Sensitive
	return d != nil && d.Detected &&
		slices.ContainsFunc(
			d.Detections,
			func(d mcpproxy.Detection) bool { return !ofResult(mcpproxy.Signal{Path: d.Location}) },
		)
}

// reason returns a reason without values that the log masks: rules only contain names, and the recorded reason is
// masked already.
func reason(r *mcpproxy.Record, would policy.Ruling) string {
	if would.Rule == r.Metadata.Ruled.Rule {
		return r.Metadata.Reason
	}
	return would.Reason
}

// note adds what the log does not contain.
func (s *Sum) note() {
	if s.Undecided > 0 {
		s.Notes = append(
			s.Notes,
			"Calls that no policy decides are left out: quarantine, the scope of a token, unreadable arguments, and commands that change what agents may do. "+
				"Calls whose records lack the facts of the decision are left out too: records of earlier versions, and calls decided by signs of exfiltration while "+
				"security.alerts.exfiltration_detection was off.",
		)
	}
	if s.Masked > 0 {
		s.Notes = append(s.Notes, "Rules that read call.args saw masks instead of secrets.")
	}
	s.Notes = append(
		s.Notes,
		"Each call is decided with what its session had read and sent at the time, even if the policy would have stopped an earlier call. "+
			"What happens to results (security.content_scan) is not replayed.",
	)
}
