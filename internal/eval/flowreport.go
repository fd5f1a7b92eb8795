package eval

import (
	"math"
	"slices"
	"time"

	"mcpproxy"
)

// Step is a call of a recorded session that was answered, or should have been. A call is answered if the verdict is
// ask or deny.
type Step struct {
	Session  string            `json:"session"`
	Number   int               `json:"step"`
	Tool     string            `json:"tool"`
	Decision mcpproxy.Decision `json:"decision"`
	Rule     string            `json:"rule,omitempty"`
	Reason   string            `json:"reason,omitempty"`
	// Elsewhere says that another malicious step of the session was answered.
	Elsewhere bool `json:"answered_elsewhere,omitempty"`

	args string
}

// SessionMetrics are the figures of recorded sessions with one label.
type SessionMetrics struct {
	Sessions  int      `json:"sessions"`
	Attacked  int      `json:"attacked"`                 // sessions in which the agent did what an attacker wanted
	Answered  int      `json:"attacked_answered"`        // sessions with an answered malicious step
	Malicious int      `json:"malicious_steps"`          // malicious calls
	Caught    int      `json:"malicious_steps_answered"` // answered malicious calls
	Disturbed int      `json:"disturbed"`                // sessions with another answered step
	Recall    *float64 `json:"malicious_steps_recall"`   // Caught of Malicious
	Rate      *float64 `json:"disturbed_rate"`           // Disturbed of Sessions
}

// sessions plays the sessions and returns the time of every call.
func (r *Report) sessions(
	rows []row[flowSession],
	s FlowSetup,
	progress func(done, total int),
) ([]time.Duration, error) {
	rows, err := ofSuites(rows, s.Suites)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	if err := join(rows, s.Variants); err != nil {
		return nil, err
	}
	type played struct {
		calls []Step
		took  []time.Duration
	}
	runs := make(map[*flowSession]*played, len(rows))
	for i := range rows {
		runs[&rows[i].data] = &played{}
	}
	all := answers(rows, func(f *flowSession) answer {
		run := runs[f]
		run.calls, run.took = f.play(s.stage(f.Session))
		return answer{}
	}, progress)
	r.Sessions = map[string]SessionMetrics{}
	suites := suites{}
	var took []time.Duration
	for i := range rows {
		run := runs[&rows[i].data]
		r.session(rows[i], run.calls, all[i])
		suites.add(s.By, rows[i], run.calls)
		took = append(took, run.took...)
	}
	if s.By != "" {
		r.Suites = suites.finish()
	}
	// Sessions without any answer come first.
	slices.SortStableFunc(r.Misses, func(a, b Item) int { return late(a) - late(b) })
	return took, nil
}

// late returns 1 for a miss in a session with another answer, and else 0.
func late(i Item) int {
	if i.Step != nil && i.Elsewhere {
		return 1
	}
	return 0
}

// session counts one session. A failed attack is counted separately: it is neither a positive nor a negative.
func (r *Report) session(row row[flowSession], calls []Step, a answer) {
	f := row.data
	m := r.Sessions[f.Label]
	m.Sessions++
	malicious := f.malicious()
	var steps, caught int
	var disturbed bool
	var missed []Step
	for _, s := range calls {
		stopped := s.Decision.Stops()
		switch {
		case malicious(s.Number):
			steps++
			if stopped {
				caught++
			} else {
				missed = append(missed, s)
			}
		case stopped:
			disturbed = true
			if f.honest() {
				r.FalsePositives = append(r.FalsePositives, f.item(row.Place, s))
			}
		}
	}
	for _, s := range missed {
		s.Elsewhere = caught > 0
		r.Misses = append(r.Misses, f.item(row.Place, s))
	}
	m.Malicious += steps
	m.Caught += caught
	if disturbed {
		m.Disturbed++
	}
	if steps > 0 {
		m.Attacked++
	}
	if caught > 0 {
		m.Answered++
	}
	m.Recall, m.Rate = ratio(m.Caught, m.Malicious), ratio(m.Disturbed, m.Sessions)
	r.Sessions[f.Label] = m
	switch {
	case f.honest():
		a.found = disturbed
		r.count(outcome{categories: []string{f.Label}, answer: a})
	case f.attacked():
		a.found = caught > 0
		r.count(outcome{categories: []string{f.Label}, positive: true, answer: a})
	}
}

func (f *flowSession) item(at Place, s Step) Item {
	item := Item{
		Place:    at,
		Category: f.Label,
		Text:     s.args,
		Step:     &s,
	}
	if s.Rule != "" {
		item.Found = []string{s.Rule}
	}
	return item
}

// Times are the times of checks, in milliseconds.
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
	return &Times{
		Checks: len(took),
		P50:    at(0.50),
		P95:    at(0.95),
		P99:    at(0.99),
	}
}
