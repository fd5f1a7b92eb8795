package approval_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/approval"
)

// prompted returns the request about a call that an agent's prompt has shown.
func prompted(arguments string) approval.Request {
	r := about(arguments)
	r.Activity, r.Session = "01HOOK", "hook-session"
	return r
}

// comes returns the same call as it arrives over MCP.
func comes(arguments string) approval.Request {
	r := about(arguments)
	r.Evaluation = "01HOOK"
	return r
}

func TestACallOfAnAgentsPromptPassesOnce(t *testing.T) {
	o := newOffice(approval.Rules{Expiry: time.Minute, Policy: "p1"})
	id := o.Prompted(prompted(`{"a":1}`)).ID
	a := o.Ask(t.Context(), comes(`{"a":1}`))
	outcome(t, a, approval.Approved)
	if a.ID != id {
		t.Errorf("by the request %s, not %s", a.ID, id)
	}
	outcome(t, o.Ask(t.Context(), comes(`{"a":1}`)), approval.Nobody)
	o.Ran("01HOOK") // the hook's later report changes nothing
	if diff := cmp.Diff([]string{"approved by the agent's user"}, o.answers()); diff != "" {
		t.Error(diff)
	}
}

func TestAnAgentsPromptLetsNoOtherCallPass(t *testing.T) {
	for name, change := range map[string]func(*approval.Request){
		"no hook has told of it":       func(r *approval.Request) { r.Evaluation = "" },
		"another evaluation":           func(r *approval.Request) { r.Evaluation = "01OTHER" },
		"one byte of a value":          func(r *approval.Request) { r.Arguments = approval.Digest([]byte(`{"a":2}`)) },
		"another principal":            func(r *approval.Request) { r.Principal = "bob" },
		"another session":              func(r *approval.Request) { r.FlowSession = "mcp:local:t" },
		"another tool":                 func(r *approval.Request) { r.Tool = "delete" },
		"another configuration":        func(r *approval.Request) { r.Policy = "p2" },
		"more than the user was shown": func(r *approval.Request) { r.Ruling = "with a secret" },
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(approval.Rules{Expiry: time.Minute, Policy: "p1"})
			o.Prompted(prompted(`{"a":1}`))
			r := comes(`{"a":1}`)
			change(&r)
			outcome(t, o.Ask(t.Context(), r), approval.Nobody)
			o.Close()
		})
	}
}

func TestAReportOfTheCallIsAYes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(rules)
		o.Prompted(prompted(`{}`))
		if err := o.Decide(o.the(t).ID, true, "owner"); err != approval.ErrElsewhere {
			t.Errorf("it is answered here: %v", err)
		}
		o.Ran("01HOOK")
		o.Ran("01HOOK")
		o.Prompted(prompted(`{}`))
		time.Sleep(rules.Expiry)
		synctest.Wait()
		if diff := cmp.Diff([]string{"approved by the agent's user", "expired by mcpproxy"}, o.answers()); diff != "" {
			t.Error(diff)
		}
	})
}

// The number of unanswered prompts is limited, and they do not count as open questions.
func TestPromptsAreBoundedApartFromTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(rules)
		for i := range 200 {
			r := prompted(`{}`)
			r.Activity = fmt.Sprint("hook-", i)
			o.Prompted(r)
		}
		if n := len(o.Pending()); n > 40 {
			t.Errorf("%d prompts are kept", n)
		}
		outcome(t, o.Ask(t.Context(), about(`{}`)), approval.Waiting)
		last := comes(`{}`)
		last.Evaluation = "hook-199"
		outcome(t, o.Ask(t.Context(), last), approval.Approved)
		o.Close()
	})
}
