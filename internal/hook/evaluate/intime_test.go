package evaluate_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/hook/evaluate"
	"mcpproxy/internal/policy"
)

// within evaluates an event for a hook that waits for the given time.
func (r *rig) within(patience time.Duration, body string) evaluate.Answer {
	return r.eval.Evaluate(context.Background(), evaluate.Question{
		Body:      []byte(body),
		Async:     true,
		Principal: "local",
		Until:     time.Now().Add(patience),
	})
}

func TestACallThatTakesLongerToJudgeThanItsHookWaitsIsDenied(t *testing.T) {
	words := strings.Repeat("some words of a large page\n", 40_000)
	body := pre("s", "c", "WebFetch", `{"url":"https://x.example.com/","prompt":`+quoted(words)+`}`)
	r := newRig(t)
	if a := r.within(time.Hour, body); a.Decision != mcpproxy.Allow {
		t.Fatalf("in time: %+v", a)
	}
	for name, left := range map[string]time.Duration{"its time ends meanwhile": time.Millisecond, "its time is over": 0} {
		t.Run(name, func(t *testing.T) {
			a := r.within(left, body)
			if a.Decision != mcpproxy.Deny || !strings.Contains(a.Reason, "longer than the agent's hook waits") {
				t.Errorf("%+v", a)
			}
			if rec := r.last(); rec.ID != a.ActivityID || rec.Decision != mcpproxy.Deny || rec.Rule != policy.RuleUnreadable {
				t.Errorf("recorded: %+v, answered: %+v", rec, a)
			}
		})
	}
}

func TestTheResultOfACallMayTakeLongerToReadThanAHookWaits(t *testing.T) {
	r := newRig(t)
	a := r.within(0, post("s", "c", "WebFetch", `{"url":"https://x.example.com/"}`, quoted("words")))
	if a.Decision != mcpproxy.Allow {
		t.Errorf("%+v", a)
	}
	if rec := r.last(); rec.Decision != mcpproxy.Allow {
		t.Errorf("%+v", rec)
	}
}
