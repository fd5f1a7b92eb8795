package eval

import (
	"math"
	"slices"
	"strings"
	"time"
)

// Step is a call of a recorded session that was answered, or should have been.
// A call is answered when the verdict was ask or deny.
type Step struct {
	Session string `json:"session"`
	Number  int    `json:"step"`
	Tool    string `json:"tool"`
	Rule    string `json:"rule,omitempty"`
	Reason  string `json:"reason,omitempty"`

	args string
}

// SessionMetrics are the figures of recorded sessions with one label.
type SessionMetrics struct {
	Sessions  int      `json:"sessions"`
	Attacked  int      `json:"attacked"`                 // sessions with malicious steps
	Answered  int      `json:"attacked_answered"`        // sessions of which a malicious step was answered
	Malicious int      `json:"malicious_steps"`          //
	Caught    int      `json:"malicious_steps_answered"` //
	Disturbed int      `json:"disturbed"`                // sessions of which another step was answered
	Recall    *float64 `json:"malicious_steps_recall"`   // Caught of Malicious
	Rate      *float64 `json:"disturbed_rate"`           // Disturbed of Sessions
}

// sessions plays the sessions and returns how long every call took. Sessions
// that were attacked in vain are told apart: they are neither leaks nor benign.
func (r *Report) sessions(rows []row[flowSession], s FlowSetup, progress func(done, total int)) ([]time.Duration, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	if err := join(rows); err != nil {
		return nil, err
	}
	type played struct {
		stopped []Step
		took    []time.Duration
	}
	runs := make(map[*flowSession]*played, len(rows))
	for i := range rows {
		runs[&rows[i].data] = &played{}
	}
	all := answers(rows, func(f *flowSession) answer {
		run := runs[f]
		run.stopped, run.took = f.play(s.stage(f.Session))
		return answer{}
	}, progress)
	r.Sessions = map[string]SessionMetrics{}
	var took []time.Duration
	for i := range rows {
		run := runs[&rows[i].data]
		r.session(rows[i], run.stopped, all[i])
		took = append(took, run.took...)
	}
	return took, nil
}

// session counts one session.
func (r *Report) session(row row[flowSession], stopped []Step, a answer) {
	f := row.data
	m := r.Sessions[f.Label]
	m.Sessions++
	caught, disturbed := 0, false
	benign := strings.HasPrefix(f.Label, "benign")
	for _, s := range stopped {
		if slices.Contains(f.Malicious, s.Number) {
			caught++
			continue
		}
		disturbed = true
		if benign {
			r.FalsePositives = append(r.FalsePositives, f.item(row.Place, s))
		}
	}
	for _, step := range f.steps {
		n := step.Step
		if slices.Contains(f.Malicious, n) && !slices.ContainsFunc(stopped, func(s Step) bool { return s.Number == n }) {
			r.Misses = append(r.Misses, f.item(row.Place, Step{Session: f.Session, Number: n, Tool: step.Tool, args: string(step.Args)}))
		}
	}
	m.Malicious += len(f.Malicious)
	m.Caught += caught
	if disturbed {
		m.Disturbed++
	}
	if len(f.Malicious) > 0 {
		m.Attacked++
	}
	if caught > 0 {
		m.Answered++
	}
	m.Recall, m.Rate = ratio(m.Caught, m.Malicious), ratio(m.Disturbed, m.Sessions)
	r.Sessions[f.Label] = m
	switch {
	case benign:
		a.found = disturbed
		r.count(outcome{categories: []string{f.Label}, answer: a})
	case len(f.Malicious) > 0 && f.Label != "attack_failed":
		a.found = caught > 0
		r.count(outcome{categories: []string{f.Label}, positive: true, answer: a})
	}
}

func (f *flowSession) item(at Place, s Step) Item {
	item := Item{Place: at, Category: f.Label, Text: s.args, Step: &s}
	if s.Rule != "" {
		item.Found = []string{s.Rule}
	}
	return item
}

// Times are how long checks took, in milliseconds.
type Times struct {
	Checks int     `json:"checks"`
	P50    float64 `json:"p50"`
	P95    float64 `json:"p95"`
	P99    float64 `json:"p99"`
}

func times(took []time.Duration) *Times {
	if len(took) == 0 {
		return nil
	}
	slices.Sort(took)
	at := func(share float64) float64 {
		i := int(math.Ceil(share*float64(len(took)))) - 1
		return float64(took[i]) / float64(time.Millisecond)
	}
	return &Times{Checks: len(took), P50: at(0.50), P95: at(0.95), P99: at(0.99)}
}
