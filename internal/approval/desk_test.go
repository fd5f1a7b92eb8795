package approval_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
	"mcpproxy/internal/approval"
)

func TestACallWaitsForAnAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		approve bool
		want    approval.Outcome
		record  string
	}{
		"yes lets it pass": {true, approval.Approved, "approved by owner"},
		"no refuses it":    {false, approval.Declined, "declined by owner"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(rules)
				heard := o.asks(t.Context(), about(`{"a":1}`))
				synctest.Wait()
				r := o.the(t)
				if err := o.Decide(r.ID, c.approve, "owner"); err != nil {
					t.Fatal(err)
				}
				a := <-heard
				outcome(t, a, c.want)
				if a.ID != r.ID || a.Approved() != c.approve {
					t.Errorf("%+v", a)
				}
				if diff := cmp.Diff([]string{c.record}, o.answers()); diff != "" {
					t.Error(diff)
				}
				if err := o.Decide(r.ID, true, "owner"); !errors.Is(err, approval.ErrUnknown) {
					t.Errorf("answered once more: %v", err)
				}
			})
		})
	}
}

// If the approval comes too late for the waiting call, the same call passes once when it is sent again.
func TestALateApprovalServesTheSameCallOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(rules)
		a := o.Ask(t.Context(), about(`{"a":1, "b":"x"}`))
		outcome(t, a, approval.Waiting)
		if !strings.Contains(a.Reason(), "mcpproxy approvals approve "+a.ID) {
			t.Errorf("the call is not told what helps: %s", a.Reason())
		}
		if err := o.Decide(a.ID, true, "owner"); err != nil {
			t.Fatal(err)
		}
		if err := o.Decide(a.ID, true, "owner"); !errors.Is(err, approval.ErrDecided) {
			t.Errorf("approved twice: %v", err)
		}
		if r := o.the(t); !r.Approved {
			t.Error("the approval is not shown")
		}
		again := o.Ask(t.Context(), about(`{ "b": "x", "a": 1 }`)) // another spelling of the same arguments
		outcome(t, again, approval.Approved)
		if again.ID != a.ID {
			t.Error("it passes by another request")
		}
		outcome(t, o.Ask(t.Context(), about(`{"a":1, "b":"x"}`)), approval.Waiting)
	})
}

// All fields of the binding must be equal for an approval to apply.
func TestAnApprovalServesNoOtherCall(t *testing.T) {
	for name, change := range map[string]func(*approval.Request){
		"another principal":                      func(r *approval.Request) { r.Principal = "bob" },
		"another protocol session":               func(r *approval.Request) { r.Session = "t" },
		"another flow session":                   func(r *approval.Request) { r.FlowSession = "mcp:local:t" },
		"another kind of call":                   func(r *approval.Request) { r.Kind = mcpproxy.KindPrompt },
		"another server":                         func(r *approval.Request) { r.Server = "mail" },
		"another tool":                           func(r *approval.Request) { r.Tool = "post_messages" },
		"one byte of a value":                    func(r *approval.Request) { r.Arguments = approval.Digest([]byte(`{"a":2}`)) },
		"a configuration changed in between":     func(r *approval.Request) { r.Policy = "p2" },
		"another rule, or other data than shown": func(r *approval.Request) { r.Ruling = "q" },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(rules)
				a := o.Ask(t.Context(), about(`{"a":1}`))
				if err := o.Decide(a.ID, true, "owner"); err != nil {
					t.Fatal(err)
				}
				other := about(`{"a":1}`)
				change(&other)
				outcome(t, o.Ask(t.Context(), other), approval.Waiting)
				outcome(t, o.Ask(t.Context(), about(`{"a":1}`)), approval.Approved)
				o.Close()
			})
		})
	}
}

func TestTimeEndsAQuestionAndAnUnusedApproval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(rules)
		a := o.Ask(t.Context(), about(`{"a":1}`))
		b := o.Ask(t.Context(), about(`{"a":2}`))
		if err := o.Decide(b.ID, true, "owner"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(rules.Expiry)
		synctest.Wait()
		if err := o.Decide(a.ID, true, "owner"); !errors.Is(err, approval.ErrUnknown) {
			t.Errorf("an expired question is answered: %v", err)
		}
		outcome(t, o.Ask(t.Context(), about(`{"a":2}`)), approval.Waiting)
		diff := cmp.Diff([]string{"approved by owner", "expired by mcpproxy", "lapsed by mcpproxy"}, o.answers())
		if diff != "" {
			t.Error(diff)
		}
		o.Close()
	})
}

func TestAnythingButAcceptRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		action string
		err    error
		want   approval.Outcome
	}{
		"accept":                        {"accept", nil, approval.Approved},
		"decline":                       {"decline", nil, approval.Declined},
		"cancel":                        {"cancel", nil, approval.Cancelled},
		"nothing":                       {"", nil, approval.Cancelled},
		"another spelling of accept":    {"Accept", nil, approval.Cancelled},
		"an error beside the word":      {"accept", errors.New("no"), approval.Failed},
		"a client that is gone":         {"", context.Canceled, approval.Failed},
		"a word that begins like a yes": {"accepted", nil, approval.Cancelled},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(rules)
			r := about(`{"a":1}`)
			shown := ""
			r.Elicit = func(_ context.Context, q approval.Prompt) (approval.Reply, error) {
				shown = q.Text
				return approval.Reply{Action: c.action}, c.err
			}
			outcome(t, o.Ask(t.Context(), r), c.want)
			if shown != r.Text {
				t.Errorf("the user is shown %q", shown)
			}
			if all := o.Pending(); len(all) > 0 {
				t.Errorf("something stays open: %+v", all)
			}
		})
	}
}

// An answer of a client counts for nothing if it comes too late or if the call was cancelled.
func TestAClientThatDoesNotAnswerInTimeRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(rules)
		r := about(`{"a":1}`)
		r.Elicit = func(ctx context.Context, _ approval.Prompt) (approval.Reply, error) {
			<-ctx.Done()
			return approval.Reply{Action: "accept"}, nil
		}
		outcome(t, o.Ask(t.Context(), r), approval.Expired)
		ctx, cancel := context.WithCancel(t.Context())
		heard := o.asks(ctx, r)
		synctest.Wait()
		outcome(t, o.Ask(t.Context(), r), approval.Busy)
		cancel()
		outcome(t, <-heard, approval.Cancelled)
		if len(o.Pending()) > 0 {
			t.Error("something stays open")
		}
	})
}

// The owner may answer before the client's user.
func TestTheOwnerAnswersForTheClientsUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(rules)
		r := about(`{"a":1}`)
		r.Elicit = func(ctx context.Context, _ approval.Prompt) (approval.Reply, error) {
			<-ctx.Done()
			return approval.Reply{}, ctx.Err()
		}
		heard := o.asks(t.Context(), r)
		synctest.Wait()
		if err := o.Decide(o.the(t).ID, true, "owner"); err != nil {
			t.Fatal(err)
		}
		outcome(t, <-heard, approval.Approved)
	})
}

func TestWhoIsAsked(t *testing.T) {
	yes := func(context.Context, approval.Prompt) (approval.Reply, error) {
		return approval.Reply{Action: "accept"}, nil
	}
	for name, c := range map[string]struct {
		rules  approval.Rules
		elicit approval.User
		want   approval.Outcome
	}{
		"the client's user, where the client can ask":  {approval.Rules{Elicitation: true, Wait: time.Second, Expiry: time.Minute}, yes, approval.Approved},
		"nobody else, where that is off":               {approval.Rules{Expiry: time.Minute}, yes, approval.Nobody},
		"the queue, where that is off and it is there": {approval.Rules{Wait: time.Second, Expiry: time.Minute}, yes, approval.Waiting},
		"the queue, where the client cannot":           {approval.Rules{Elicitation: true, Wait: time.Second, Expiry: time.Minute}, nil, approval.Waiting},
		"nobody":                                       {approval.Rules{Elicitation: true, Expiry: time.Minute}, nil, approval.Nobody},
		"nobody, where nobody watches the queue":       {approval.Rules{Watched: time.Second, Expiry: time.Minute}, nil, approval.Nobody},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(c.rules)
				r := about(`{}`)
				r.Elicit = c.elicit
				outcome(t, o.Ask(t.Context(), r), c.want)
				o.Close()
			})
		})
	}
}

func TestTheAgentsCancelEndsTheWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(rules)
		ctx, cancel := context.WithCancel(t.Context())
		heard := o.asks(ctx, about(`{}`))
		synctest.Wait()
		cancel()
		outcome(t, <-heard, approval.Cancelled)
		if len(o.Pending()) > 0 {
			t.Error("the question stays")
		}
		if diff := cmp.Diff([]string{"cancelled by agent"}, o.answers()); diff != "" {
			t.Error(diff)
		}
	})
}

// Later questions never push out earlier ones.
func TestAFloodOfQuestionsHidesNoOlderQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quick := rules
		quick.Wait = time.Millisecond
		o := newOffice(quick)
		first := o.Ask(t.Context(), about(`{"first":true}`))
		for i := range 100 {
			o.Ask(t.Context(), about(fmt.Sprintf(`{"n":%d}`, i)))
		}
		all := o.Pending()
		if all[0].ID != first.ID || len(all) > 40 {
			t.Errorf("of %d the first is %+v", len(all), all[0])
		}
		outcome(t, o.Ask(t.Context(), about(`{"n":99}`)), approval.Full)
		other := about(`{"n":99}`)
		other.Principal = "bob"
		outcome(t, o.Ask(t.Context(), other), approval.Waiting)
		if err := o.Decide(all[1].ID, false, "owner"); err != nil {
			t.Fatal(err)
		}
		outcome(t, o.Ask(t.Context(), about(`{"n":99}`)), approval.Waiting)
		o.Close()
	})
}

func TestAllQuestionsEndOnKillReloadAndClose(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(*approval.Desk)
		want approval.Outcome
	}{
		"the kill switch":       {func(d *approval.Desk) { d.Withdraw("the kill switch is on") }, approval.Withdrawn},
		"another configuration": {func(d *approval.Desk) { d.Configure(approval.Rules{Policy: "p2"}) }, approval.Withdrawn},
		"the end of mcpproxy":   {(*approval.Desk).Close, approval.Expired},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(rules)
				late := o.Ask(t.Context(), about(`{"a":1}`))
				if err := o.Decide(late.ID, true, "owner"); err != nil {
					t.Fatal(err)
				}
				heard := o.asks(t.Context(), about(`{"a":2}`))
				asked := about(`{"a":3}`)
				asked.Elicit = func(ctx context.Context, _ approval.Prompt) (approval.Reply, error) {
					<-ctx.Done()
					return approval.Reply{Action: "accept"}, nil
				}
				elicited := o.asks(t.Context(), asked)
				synctest.Wait()
				c.end(o.Desk)
				outcome(t, <-heard, c.want)
				outcome(t, <-elicited, c.want)
				if all := o.Pending(); len(all) > 0 {
					t.Errorf("left: %+v", all)
				}
				if a := o.Ask(t.Context(), about(`{"a":1}`)); a.Approved() {
					t.Error("an approval outlives it")
				}
				o.Close()
			})
		})
	}
}

// A new configuration with the same effect does not withdraw questions.
func TestAConfigurationThatDecidesTheSameLeavesQuestionsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(rules)
		heard := o.asks(t.Context(), about(`{}`))
		synctest.Wait()
		o.Configure(rules)
		if err := o.Decide(o.the(t).ID, true, "owner"); err != nil {
			t.Fatal(err)
		}
		outcome(t, <-heard, approval.Approved)
	})
}

func TestAnUnusedApprovalIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(rules)
		a := o.Ask(t.Context(), about(`{}`))
		for _, approve := range []bool{true, false} {
			if err := o.Decide(a.ID, approve, "owner"); err != nil {
				t.Fatal(err)
			}
		}
		outcome(t, o.Ask(t.Context(), about(`{}`)), approval.Waiting)
		o.Close()
	})
}

func TestEveryQuestionAndEveryAnswerIsARecord(t *testing.T) {
	o := newOffice(rules)
	r := about(`{"a":1}`)
	r.Elicit = func(context.Context, approval.Prompt) (approval.Reply, error) {
		return approval.Reply{Action: "decline"}, nil
	}
	a := o.Ask(t.Context(), r)
	if len(o.events) != 2 || o.events[0].Name != approval.EventRequested || o.events[1].Name != approval.EventResolved {
		t.Fatalf("%+v", o.events)
	}
	asked, answered := o.events[0].Record, o.events[1].Record
	if asked.ID != a.ID || asked.ParentID != "01CALL" || asked.Type != mcpproxy.RecordApproval ||
		asked.Status != mcpproxy.StatusSuccess ||
		asked.Decision != mcpproxy.Ask {
		t.Errorf("the question: %+v", asked)
	}
	if answered.ParentID != a.ID || answered.Type != mcpproxy.RecordApproval ||
		answered.Status != mcpproxy.StatusRejected ||
		answered.Decision != mcpproxy.Deny ||
		answered.Metadata.Approval != a.ID {
		t.Errorf("the answer: %+v", answered)
	}
	for _, key := range []string{"request", "channel", "by", "expires"} {
		if answered.Metadata.Detail[key] == nil {
			t.Errorf("the answer does not say %s", key)
		}
	}
}
