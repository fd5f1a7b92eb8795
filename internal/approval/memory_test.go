package approval_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"mcpproxy"
	"mcpproxy/internal/approval"
)

// within returns a request with a boundary: a message to a channel.
func within(arguments, channel string) approval.Request {
	r := about(arguments)
	r.Boundary = &mcpproxy.Boundary{
		Principal:    r.Principal,
		Server:       "chat",
		Tool:         "post_message",
		Effect:       mcpproxy.EffectSend,
		Audience:     mcpproxy.AudienceNamed,
		Destinations: []string{"channel " + channel},
		Rules:        []string{r.Rule},
	}
	r.Offers = []mcpproxy.Remembered{
		mcpproxy.RememberedOnce,
		mcpproxy.RememberedSession,
		mcpproxy.RememberedAlways,
	}
	return r
}

// memoryStore keeps permanent approvals in memory.
type memoryStore struct {
	kept map[string]string
	err  error
}

func (s *memoryStore) Allows(b mcpproxy.Boundary) (string, bool) {
	id, ok := s.kept[b.Key()]
	return id, ok
}

func (s *memoryStore) Keep(b mcpproxy.Boundary, request, _ string) (string, error) {
	if s.err != nil {
		return "", s.err
	}
	s.kept[b.Key()] = "rule of " + request
	return s.kept[b.Key()], nil
}

// saying returns a client's user who always gives the same answer.
func saying(action string, span mcpproxy.Remembered) approval.User {
	return func(context.Context, approval.Prompt) (approval.Reply, error) {
		return approval.Reply{Action: action, For: span}, nil
	}
}

func TestTheSameQuestionIsNotAskedTwiceInASession(t *testing.T) {
	for name, c := range map[string]struct {
		action string
		span   mcpproxy.Remembered
		change func(*approval.Request) // of the call that comes next
		want   approval.Outcome        // the expected outcome; Nobody if the call is asked about again
	}{
		"a yes once holds for the very same call":         {"accept", mcpproxy.RememberedOnce, nil, approval.Approved},
		"a yes without a choice too":                      {"accept", "", nil, approval.Approved},
		"a yes once holds for no other arguments":         {"accept", mcpproxy.RememberedOnce, otherText, approval.Nobody},
		"a yes for the session holds within the boundary": {"accept", mcpproxy.RememberedSession, otherText, approval.Approved},
		"a yes for always too":                            {"accept", mcpproxy.RememberedAlways, otherText, approval.Approved},
		"a span that nobody offered counts as once":       {"accept", "forever", otherText, approval.Nobody},
		"a no holds within the boundary":                  {"decline", "", otherText, approval.Declined},
		"a dismissed question is no answer":               {"cancel", "", nil, approval.Nobody},
		"another destination is another question": {
			"accept", mcpproxy.RememberedAlways, func(r *approval.Request) { r.Boundary = within("", "#other").Boundary }, approval.Nobody,
		},
		"another session has its own answers": {
			"accept", mcpproxy.RememberedSession, func(r *approval.Request) { r.FlowSession = "another" }, approval.Nobody,
		},
		"what is approved for always holds in every session": {
			"accept", mcpproxy.RememberedAlways, func(r *approval.Request) { r.FlowSession = "another" }, approval.Approved,
		},
		"another principal has its own": {
			"accept", mcpproxy.RememberedAlways, func(r *approval.Request) { r.Principal, r.Boundary.Principal = "ci", "ci" }, approval.Nobody,
		},
		"what cannot be remembered is asked about again": {
			"accept", mcpproxy.RememberedSession, func(r *approval.Request) {
				r.Boundary.Once = "it carries a secret"
				r.Boundary.Data = []string{"api_token"}
			},
			approval.Nobody,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(approval.Rules{Elicitation: true, Expiry: time.Minute, Policy: "p1"})
			o.Keep(&memoryStore{kept: map[string]string{}})
			first := within(`{"text":"a"}`, "#x")
			first.Elicit = saying(c.action, c.span)
			o.Ask(t.Context(), first)
			next := within(`{"text":"a"}`, "#x")
			if c.change != nil {
				c.change(&next)
			}
			a := o.Ask(t.Context(), next)
			outcome(t, a, c.want)
			if c.want != approval.Nobody && (a.Remembered == "" || a.ID == "") {
				t.Errorf("the earlier answer is not named: %+v", a)
			}
			o.Close()
		})
	}
}

// otherText changes the arguments of a request.
func otherText(r *approval.Request) { r.Arguments = approval.Digest([]byte(`{"text":"b"}`)) }

func TestAnAnswerForOneCallIsNotRemembered(t *testing.T) {
	o := newOffice(approval.Rules{Elicitation: true, Expiry: time.Minute, Policy: "p1"})
	rules := &memoryStore{kept: map[string]string{}}
	o.Keep(rules)
	r := within(`{"amount":100}`, "#x")
	r.Boundary.Once = "payments are approved one by one"
	r.Offers = []mcpproxy.Remembered{mcpproxy.RememberedOnce}
	r.Elicit = saying("accept", mcpproxy.RememberedAlways)
	outcome(t, o.Ask(t.Context(), r), approval.Approved)
	r.Elicit = nil
	outcome(t, o.Ask(t.Context(), r), approval.Nobody)
	if len(rules.kept) > 0 {
		t.Error("it is kept for always")
	}
	p := o.Post(r)
	if err := o.Vote(p.ID, approval.Vote{Approve: true, For: mcpproxy.RememberedSession}); !errors.Is(err, approval.ErrNotOffered) {
		t.Errorf("a person can agree for the session: %v", err)
	}
}

func TestWhatTheAgentsOwnPromptAllowedIsNotAskedAgain(t *testing.T) {
	told := func(arguments string) approval.Request {
		r := within(arguments, "#x")
		r.Activity = "01HOOK"
		r.FlowSession = "hook:s"
		return r
	}
	o := newOffice(approval.Rules{Expiry: time.Minute, Policy: "p1"})
	outcome(t, o.Prompted(told(`{"text":"a"}`)), approval.Waiting)
	outcome(t, o.Prompted(told(`{"text":"b"}`)), approval.Waiting) // the first call has not been made
	o.Ran("01HOOK")
	outcome(t, o.Prompted(told(`{"text":"b"}`)), approval.Approved)
	r := told(`{"text":"c"}`)
	r.Boundary = within("", "#y").Boundary
	outcome(t, o.Prompted(r), approval.Waiting)
	o.Close()
}

func TestAPostedQuestionPassesOnceApproved(t *testing.T) {
	o := newOffice(approval.Rules{Expiry: time.Minute, Policy: "p1"})
	first := o.Post(within(`{"text":"a"}`, "#x"))
	outcome(t, first, approval.Posted)
	if again := o.Post(within(`{"text":"a"}`, "#x")); again.ID != first.ID {
		t.Errorf("the call that is sent again has its own request %s, not %s", again.ID, first.ID)
	}
	if err := o.Decide(first.ID, true, "owner"); err != nil {
		t.Fatal(err)
	}
	outcome(t, o.Post(within(`{"text":"b"}`, "#x")), approval.Posted)
	outcome(t, o.Post(within(`{"text":"a"}`, "#x")), approval.Approved)
	o.Close()
}

func TestAPersonRevokesARefusal(t *testing.T) {
	o := newOffice(approval.Rules{Expiry: time.Minute, Policy: "p1"})
	id := o.Post(within(`{"text":"a"}`, "#x")).ID
	if err := o.Decide(id, false, "owner"); err != nil {
		t.Fatal(err)
	}
	a := o.Post(within(`{"text":"b"}`, "#x"))
	outcome(t, a, approval.Declined)
	if a.ID != id {
		t.Errorf("the no is that of %s, not %s", a.ID, id)
	}
	if err := o.Vote(id, approval.Vote{Approve: true, For: mcpproxy.RememberedSession, By: "owner"}); err != nil {
		t.Fatal(err)
	}
	outcome(t, o.Post(within(`{"text":"a"}`, "#x")), approval.Approved)
	outcome(t, o.Post(within(`{"text":"b"}`, "#x")), approval.Approved)
	o.Close()
}

func TestTheUsersNextMessageRevokesOnlyRefusals(t *testing.T) {
	o := newOffice(approval.Rules{Expiry: time.Minute, Policy: "p1"})
	no, yes := within(`{"text":"a"}`, "#x"), within(`{"text":"b"}`, "#y")
	if err := o.Decide(o.Post(no).ID, false, "owner"); err != nil {
		t.Fatal(err)
	}
	if err := o.Vote(o.Post(yes).ID, approval.Vote{Approve: true, For: mcpproxy.RememberedSession, By: "owner"}); err != nil {
		t.Fatal(err)
	}
	o.UserSpoke(no.Principal, "another")
	outcome(t, o.Post(no), approval.Declined)
	o.UserSpoke(no.Principal, no.FlowSession)
	outcome(t, o.Post(no), approval.Posted)
	outcome(t, o.Post(yes), approval.Approved)
	o.Close()
}

func TestATakenBackApprovalIsForgotten(t *testing.T) {
	o := newOffice(approval.Rules{Expiry: time.Minute, Policy: "p1"})
	id := o.Post(within(`{"text":"a"}`, "#x")).ID
	if err := o.Vote(id, approval.Vote{Approve: true, For: mcpproxy.RememberedSession, By: "owner"}); err != nil {
		t.Fatal(err)
	}
	if err := o.Decide(id, false, "owner"); err != nil {
		t.Fatal(err)
	}
	outcome(t, o.Post(within(`{"text":"b"}`, "#x")), approval.Posted)
	o.Close()
}

func TestAnswersAreForgottenOnAReloadAndByTheKillSwitch(t *testing.T) {
	for name, end := range map[string]func(*office){
		"another configuration": func(o *office) { o.Configure(approval.Rules{Expiry: time.Minute, Policy: "p2"}) },
		"the kill switch":       func(o *office) { o.Withdraw("the kill switch is on") },
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(approval.Rules{Elicitation: true, Expiry: time.Minute, Policy: "p1"})
			r := within(`{"text":"a"}`, "#x")
			r.Elicit = saying("accept", mcpproxy.RememberedSession)
			outcome(t, o.Ask(t.Context(), r), approval.Approved)
			end(o)
			outcome(t, o.Post(within(`{"text":"a"}`, "#x")), approval.Posted)
			o.Close()
		})
	}
}

// A permanent approval that cannot be stored does not count.
func TestAnAnswerForAlwaysThatIsNotKeptIsRefused(t *testing.T) {
	o := newOffice(approval.Rules{Expiry: time.Minute, Policy: "p1"})
	full := errors.New("no room")
	o.Keep(&memoryStore{err: full})
	id := o.Post(within(`{"text":"a"}`, "#x")).ID
	if err := o.Vote(id, approval.Vote{Approve: true, For: mcpproxy.RememberedAlways}); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	outcome(t, o.Post(within(`{"text":"a"}`, "#x")), approval.Posted)
	o.Close()
}

// Without a store, the answer "always" is not offered.
func TestAlwaysIsOfferedWhereItIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(rules)
		heard := o.asks(t.Context(), within(`{"text":"a"}`, "#x"))
		synctest.Wait()
		for _, span := range o.the(t).Offers {
			if span == mcpproxy.RememberedAlways {
				t.Error("always is offered")
			}
		}
		o.Close()
		<-heard
	})
}

// A session remembers a limited number of answers. Beyond the limit, the oldest question is asked again.
func TestASessionForgetsItsOldestAnswers(t *testing.T) {
	o := newOffice(approval.Rules{Elicitation: true, Expiry: time.Minute, Policy: "p1"})
	answer := func(channel string) {
		r := within(`{}`, channel)
		r.Elicit = saying("decline", "")
		o.Ask(t.Context(), r)
	}
	answer("#first")
	for i := range 1000 {
		answer(fmt.Sprint("#", i))
	}
	outcome(t, o.Ask(t.Context(), within(`{}`, "#999")), approval.Declined)
	outcome(t, o.Ask(t.Context(), within(`{}`, "#first")), approval.Nobody)
	o.Close()
}
