package main

import (
	"strings"
	"testing"
	"time"
)

// steady returns the journal and the quarters of a run in which nothing went wrong.
func steady() (*journal, [4]quarter) {
	j := &journal{stopped: 100, honest: 1000, refused: refusals(10, incompleteText)}
	q := quarter{
		calls:  300,
		p99:    100 * time.Millisecond,
		memory: 200,
	}
	return j, [4]quarter{q, q, q, q}
}

const incompleteText = "stopped: it may carry a result that is no longer known"

func refusals(n int, text string) []refusal {
	all := make([]refusal, n)
	for i := range all {
		all[i].text = text
	}
	return all
}

func TestARunFailsForWhatWentWrongAndForNothingElse(t *testing.T) {
	const short, long, agents = 30 * time.Second, comparable, 10
	for name, c := range map[string]struct {
		length time.Duration
		spoil  func(j *journal, q *[4]quarter, lost *int)
		want   string // "" if the run is good
	}{
		"nothing":                 {long, func(*journal, *[4]quarter, *int) {}, ""},
		"nothing, in a short run": {short, func(*journal, *[4]quarter, *int) {}, ""},
		"an attack got through": {long, func(j *journal, _ *[4]quarter, _ *int) {
			j.missed = []string{"the entry"}
		}, `1 attacks got through; the first sent "the entry"`},
		"no attack was made":      {long, func(j *journal, _ *[4]quarter, _ *int) { j.stopped = 0 }, "no attack was stopped"},
		"an answer is not logged": {short, func(_ *journal, _ *[4]quarter, lost *int) { *lost = 1 }, "no record of 1 answers"},
		"each agent's session was incomplete": {short, func(j *journal, _ *[4]quarter, _ *int) {
			j.refused = refusals(agents*perSession, incompleteText)
		}, ""},
		"sessions were incomplete that began later": {long, func(j *journal, _ *[4]quarter, _ *int) {
			j.refused = refusals(agents*perSession+1, incompleteText)
		}, "151 honest calls were stopped as calls of incomplete sessions"},
		"a call of a hundred was stopped": {long, func(j *journal, _ *[4]quarter, _ *int) {
			j.refused = refusals(10, "stopped: a flow of internal data")
		}, ""},
		"more than that were stopped": {long, func(j *journal, _ *[4]quarter, _ *int) {
			j.refused = refusals(11, "stopped: a flow of internal data")
		}, "11 were stopped although their sessions were complete"},
		"no call in the third quarter":   {long, func(_ *journal, q *[4]quarter, _ *int) { q[2].calls = 0 }, "no call was made"},
		"no call in the last quarter":    {short, func(_ *journal, q *[4]quarter, _ *int) { q[2].calls, q[3].calls = 1, 0 }, "no call was made"},
		"half as many calls":             {long, func(_ *journal, q *[4]quarter, _ *int) { q[3].calls = 150 }, ""},
		"fewer than half as many":        {long, func(_ *journal, q *[4]quarter, _ *int) { q[3].calls = 149 }, "149 calls were made"},
		"memory grows by 15 % and 16 MB": {long, func(_ *journal, q *[4]quarter, _ *int) { q[3].memory = 245 }, ""},
		"memory grows by more":           {long, func(_ *journal, q *[4]quarter, _ *int) { q[3].memory = 247 }, "memory grew from 200 MB to 247 MB"},
		"memory that grew before":        {long, func(_ *journal, q *[4]quarter, _ *int) { q[0].memory = 1 }, ""},
		"memory grows in a short run":    {short, func(_ *journal, q *[4]quarter, _ *int) { q[3].memory = mostMemory }, ""},
		"much memory in a short run": {short, func(_ *journal, q *[4]quarter, _ *int) {
			q[3].memory = mostMemory + 1
		}, "takes 401 MB of memory"},
		"twice the latency": {long, func(_ *journal, q *[4]quarter, _ *int) { q[3].p99 = 200 * time.Millisecond }, ""},
		"more than twice the latency": {long, func(_ *journal, q *[4]quarter, _ *int) {
			q[3].p99 = 201 * time.Millisecond
		}, "latency grew from 100ms to 201ms"},
		"latency of a few milliseconds": {long, func(_ *journal, q *[4]quarter, _ *int) {
			q[2].p99, q[3].p99 = 2*time.Millisecond, 20*time.Millisecond
		}, ""},
		"latency grows in a short run": {short, func(_ *journal, q *[4]quarter, _ *int) { q[3].p99 = time.Minute }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			j, q := steady()
			lost := 0
			c.spoil(j, &q, &lost)
			err := wrong(j, q, lost, c.length, agents)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("the run failed: %v", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("the error is %v, want %q", err, c.want)
			case c.want != "" && strings.Contains(err.Error(), "\n"):
				t.Errorf("one thing is wrong, and the error says more: %v", err)
			}
		})
	}
}

func TestEveryFailedCheckIsReported(t *testing.T) {
	j, q := steady()
	j.missed, j.stopped = []string{"the entry"}, 0
	q[3].memory = 1000
	err := wrong(j, q, 3, comparable, 10)
	if n := strings.Count(err.Error(), "\n") + 1; n != 4 {
		t.Errorf("%d checks failed, want 4: %v", n, err)
	}
}

func TestCallsAndMemoryBelongToTheirQuarters(t *testing.T) {
	const length = 4 * time.Minute
	j := &journal{
		took: []sample{
			{0, 3 * time.Second},
			{time.Minute - 1, time.Second},
			{time.Minute, 2 * time.Second},
			{length, 5 * time.Second}, // an answer after the end
		},
		failed: []time.Duration{2 * time.Minute, 3 * time.Minute, 5 * time.Minute},
	}
	got := quarters(j, []memory{
		{at: time.Minute, mb: 100, files: 10},
		{
			at:       90 * time.Second,
			mb:       200,
			files:    30,
			heap:     2 << 20,
			sessions: 7,
		},
	}, length)
	want := [4]quarter{
		{calls: 2, p50: 3 * time.Second, p99: 3 * time.Second},
		{
			calls:    1,
			p50:      2 * time.Second,
			p99:      2 * time.Second,
			memory:   150,
			files:    20,
			heap:     2,
			sessions: 7,
		},
		{failed: 1},
		{
			calls:  1,
			failed: 2,
			p50:    5 * time.Second,
			p99:    5 * time.Second,
		},
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("quarter %d is %+v, want %+v", i+1, got[i], want[i])
		}
	}
}
