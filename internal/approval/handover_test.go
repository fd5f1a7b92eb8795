package approval_test

import (
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/approval"
)

func TestAnAnswerForTheSessionHoldsOnTheGatewayThatTakesOver(t *testing.T) {
	t.Parallel()
	rules := approval.Rules{Elicitation: true, Expiry: time.Minute, Policy: "p1"}
	first := newOffice(rules)
	defer first.Close()
	yes, no := within(`{"text":"a"}`, "#yes"), within(`{"text":"a"}`, "#no")
	yes.Elicit, no.Elicit = saying("accept", mcpproxy.RememberedSession), saying("decline", "")
	first.Ask(t.Context(), yes)
	first.Ask(t.Context(), no)
	saved := map[string][]byte{}
	versions := first.Versions(yes.Principal)
	if len(versions) != 1 {
		t.Fatalf("the sessions with answers are %v", versions)
	}
	for session, version := range versions {
		raw, same, err := first.Save(yes.Principal, session)
		if err != nil || same != version {
			t.Fatalf("version %d, then %d (%v)", version, same, err)
		}
		saved[session] = raw
	}
	for name, c := range map[string]struct {
		policy    string
		principal string
		yes, no   approval.Outcome
	}{
		"under the same configuration": {"p1", yes.Principal, approval.Approved, approval.Declined},
		"under another configuration":  {"p2", yes.Principal, approval.Nobody, approval.Nobody},
		"of another principal":         {"p1", "somebody else", approval.Nobody, approval.Nobody},
	} {
		t.Run(name, func(t *testing.T) {
			rules.Policy = c.policy
			second := newOffice(rules)
			defer second.Close()
			if err := second.Take(c.principal, saved); err != nil {
				t.Fatal(err)
			}
			for channel, want := range map[string]approval.Outcome{"#yes": c.yes, "#no": c.no} {
				r := within(`{"text":"another"}`, channel)
				r.Policy = c.policy
				r.Principal, r.Boundary.Principal = c.principal, c.principal
				outcome(t, second.Ask(t.Context(), r), want)
			}
			second.Dismiss(c.principal)
			r := within(`{"text":"another"}`, "#yes")
			r.Policy = c.policy
			outcome(t, second.Ask(t.Context(), r), approval.Nobody)
		})
	}
}

func TestEveryChangeOfASessionsAnswersGivesItAnotherVersion(t *testing.T) {
	t.Parallel()
	o := newOffice(approval.Rules{Elicitation: true, Expiry: time.Minute, Policy: "p1"})
	defer o.Close()
	r := within(`{"text":"a"}`, "#x")
	seen := map[uint64]bool{}
	version := func(when string) {
		t.Helper()
		for _, v := range o.Versions(r.Principal) {
			if seen[v] {
				t.Errorf("%s, the version is one that was there before", when)
			}
			seen[v] = true
		}
	}
	r.Elicit = saying("decline", "")
	o.Ask(t.Context(), r)
	version("after a no")
	o.UserSpoke(r.Principal, r.FlowSession)
	version("after it was forgotten")
	r.Elicit = saying("accept", mcpproxy.RememberedSession)
	o.Ask(t.Context(), r)
	version("after a yes")
	o.Withdraw("the kill switch is on")
	if got := o.Versions(r.Principal); len(got) != 0 {
		t.Errorf("after all was withdrawn, the versions are %v", got)
	}
	o.Ask(t.Context(), r)
	version("after another yes")
	if len(seen) < 3 {
		t.Errorf("only the versions %v were seen", seen)
	}
}

func TestQuestionsOfACallerThatAnotherGatewayServesAreWithdrawn(t *testing.T) {
	t.Parallel()
	o := newOffice(approval.Rules{Wait: time.Minute, Expiry: time.Minute, Policy: "p1"})
	defer o.Close()
	r := within(`{"text":"a"}`, "#x")
	got := make(chan approval.Answer)
	go func() { got <- o.Ask(t.Context(), r) }()
	for len(o.Pending()) == 0 {
		time.Sleep(time.Millisecond)
	}
	o.Dismiss("somebody else")
	if len(o.Pending()) != 1 {
		t.Error("the question of another principal was withdrawn")
	}
	o.Dismiss(r.Principal)
	outcome(t, <-got, approval.Withdrawn)
	if err := o.Take(r.Principal, map[string][]byte{"s": []byte("{")}); err == nil {
		t.Error("answers that cannot be read were taken over")
	}
}
