package gate_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/approval"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/policy"
)

// asks returns a rig whose gate asks about calls that write, and the desk that it asks.
func asks(t *testing.T, r approval.Rules) (*rig, *approval.Desk) {
	t.Helper()
	r.Expiry, r.Policy = time.Minute, "p1"
	var h *rig
	d := approval.New(r, func(e approval.Event) { h.watch(journal.Event{Name: e.Name, Record: e.Record}) })
	t.Cleanup(d.Close)
	s := defaults()
	s.Tables.Operations[mcpproxy.Write] = mcpproxy.Ask
	s.Desk, s.Version = d, "p1"
	h = newRig(t, t.TempDir(), s)
	return h, d
}

// saying returns a user who always gives the same answer.
func saying(action string, shown *string) gate.User {
	return func(_ context.Context, q approval.Prompt) (approval.Reply, error) {
		if shown != nil {
			*shown = q.Text
		}
		return approval.Reply{Action: action}, nil
	}
}

// asked makes a call of a client whose user can be asked.
func (h *rig) asked(c *mcpproxy.Call, user gate.User) (v mcpproxy.Verdict, sent bool) {
	h.t.Helper()
	_, v = h.gate.Forward(context.Background(), gate.Request{Call: c, Caller: gate.Caller{User: user}}, func(context.Context, *mcpproxy.Call) *mcpproxy.Result {
		sent = true
		return &mcpproxy.Result{Raw: json.RawMessage(content("ok"))}
	})
	return v, sent
}

func TestACallPassesWhenAPersonAgrees(t *testing.T) {
	for action, agreed := range map[string]bool{"accept": true, "decline": false} {
		t.Run(action, func(t *testing.T) {
			h, _ := asks(t, approval.Rules{Elicitation: true})
			v, sent := h.asked(call("github", "create_note", `{"text":"hello"}`), saying(action, nil))
			if sent != agreed || v.Approval == "" || v.Decision.Stops() == agreed ||
				v.Rule != "security.tool_policy.write" {
				t.Errorf("sent: %t, %+v", sent, v)
			}
			if agreed {
				return
			}
			r := h.stored(v.ID)
			if r == nil || r.Status != mcpproxy.StatusRejected || r.Metadata.Approval != v.Approval ||
				r.Decision != mcpproxy.Ask {
				t.Errorf("the verdict was returned before the record was on disk: %+v", r)
			}
		})
	}
}

// A person is not asked about a call that a rule denies.
func TestNobodyIsAskedAboutADeniedCall(t *testing.T) {
	h, _ := asks(t, approval.Rules{Elicitation: true})
	shown := ""
	v, sent := h.asked(call("github", "delete_repository", `{}`), saying("accept", &shown))
	if sent || v.Decision != mcpproxy.Deny || shown != "" {
		t.Errorf("%+v, asked %q", v, shown)
	}
}

func TestNoQuestionHoldsASecret(t *testing.T) {
	h, d := asks(t, approval.Rules{Elicitation: true, Wait: time.Millisecond})
	shown := ""
	c := call("database", "create_note", object("text", "the token is "+gitToken))
	if _, sent := h.asked(c, saying("decline", &shown)); sent || shown == "" {
		t.Fatalf("sent: %t, asked %q", sent, shown)
	}
	c = call("database", "create_note", object("text", "once more, the token is "+gitToken))
	c.FlowSession = "flow-2" // the first session has got a refusal
	h.asked(c, nil)
	listed, err := json.Marshal(d.Pending())
	if err != nil || len(d.Pending()) != 1 {
		t.Fatalf("%s, %v", listed, err)
	}
	for what, s := range map[string]string{"the question": shown, "the listing": string(listed)} {
		if strings.Contains(s, gitToken) || !strings.Contains(s, "api_token") {
			t.Errorf("%s: %s", what, s)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.events {
		if strings.Contains(e.json, gitToken) {
			t.Errorf("the event %s: %s", e.name, e.json)
		}
	}
}

// An approval covers what was shown: a call with the same arguments and a secret beside them is a different call.
func TestAnApprovalDoesNotCoverOtherMembersOfTheRequest(t *testing.T) {
	h, d := asks(t, approval.Rules{Wait: time.Millisecond})
	v, _ := h.asked(call("github", "create_note", `{"text":"hello"}`), nil)
	if err := d.Decide(v.Approval, true, "owner"); err != nil {
		t.Fatal(err)
	}
	other := call("github", "create_note", `{"text":"hello"}`)
	other.Extra = json.RawMessage(object("note", gitToken))
	if v, sent := h.asked(other, nil); sent {
		t.Errorf("%+v", v)
	}
	if v, sent := h.asked(call("github", "create_note", `{"text":"hello"}`), nil); !sent {
		t.Errorf("the call itself: %+v", v)
	}
	if v, sent := h.asked(call("github", "create_note", `{"text":"hello"}`), nil); !sent ||
		v.Remembered != mcpproxy.RememberedSession {
		t.Errorf("once more, which is the same question: %+v", v)
	}
	if v, sent := h.asked(call("github", "create_note", `{"text":"other"}`), nil); sent {
		t.Errorf("another text: %+v", v)
	}
}

// If nobody can be asked, a call over MCP is made with a warning, and a script's call is stopped.
// Shows: edge 7.
func TestWhereNobodyCanBeAsked(t *testing.T) {
	h, _ := asks(t, approval.Rules{Elicitation: true})
	if v, sent := h.asked(
		call("github", "create_note", `{"text":"a"}`),
		nil,
	); !sent || v.Decision != mcpproxy.Warn || !v.Asked ||
		h.published(journal.EventFlowAlert) != 1 {
		t.Errorf("over MCP: %+v", v)
	}
	c := call("github", "create_note", `{"text":"b"}`)
	c.Channel = mcpproxy.ChannelCode
	if v, sent := h.asked(c, nil); sent || v.Decision != mcpproxy.Ask {
		t.Errorf("in a script: %+v", v)
	}
	c = call("github", "create_note", `{"text":"c"}`)
	c.Channel = mcpproxy.ChannelCode
	if v, sent := h.asked(c, saying("accept", nil)); !sent || v.Decision != mcpproxy.Allow {
		t.Errorf("in a script whose client can ask: %+v", v)
	}
}

// The result of a call that is running when the kill switch is turned on is withheld.
func TestTheKillSwitchWithholdsTheResultOfARunningCall(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	r, v := h.gate.Do(
		t.Context(),
		call("github", "get_file", `{"path":"a"}`),
		func(context.Context, *mcpproxy.Call) *mcpproxy.Result {
			h.gate.Kill(true)
			return &mcpproxy.Result{Raw: json.RawMessage(content("text"))}
		},
	)
	if r != nil || v.Decision != mcpproxy.Deny || v.Rule != policy.RuleKill {
		t.Errorf("%+v", v)
	}
	if got := h.stored(v.ID); got == nil || got.Status != mcpproxy.StatusRejected || got.Rule != policy.RuleKill {
		t.Errorf("on record: %+v", got)
	}
	h.gate.Configure(defaults())
	if v, sent := h.does(call("github", "get_file", `{"path":"a"}`)); !sent {
		t.Errorf("afterwards: %+v", v)
	}
}

// The report that a call was made is the approval in the agent's own prompt.
func TestAReportIsTheAnswerToTheAgentsPrompt(t *testing.T) {
	h, d := asks(t, approval.Rules{})
	told := func() *gate.Decided {
		c := call("", "Write", `{"file_path":"notes.txt","content":"a"}`)
		c.Channel = mcpproxy.ChannelHook
		return h.gate.Announced(t.Context(), c, gate.Hook{Agent: "claude-code", Event: "PreToolUse"})
	}
	p := told()
	if p.Verdict.Decision != mcpproxy.Ask || len(d.Pending()) != 1 || p.Verdict.Approval != d.Pending()[0].ID {
		t.Fatalf("%+v, %+v", p.Verdict, d.Pending())
	}
	c := call("", "Write", `{"file_path":"notes.txt","content":"a"}`)
	c.Channel = mcpproxy.ChannelHook
	h.gate.Reported(
		t.Context(),
		p.WithoutText(),
		c,
		&mcpproxy.Result{Raw: []byte(`"ok"`)},
		gate.Hook{Agent: "claude-code", Event: "PostToolUse"},
	)
	if len(d.Pending()) > 0 || h.published(approval.EventResolved) != 1 {
		t.Errorf("%d wait, %d answers", len(d.Pending()), h.published(approval.EventResolved))
	}
	// For an agent that cannot ask its user, the question waits in the queue.
	c = call("", "Write", `{"file_path":"notes.txt","content":"b"}`)
	c.Channel = mcpproxy.ChannelHook
	v := h.gate.Announced(t.Context(), c, gate.Hook{Agent: "goose", NoAsk: mcpproxy.Deny}).Verdict
	if all := d.Pending(); len(all) != 1 || all[0].Channel != approval.Queue || all[0].ID != v.Approval ||
		v.Decision != mcpproxy.Deny {
		t.Errorf("%+v, %+v", v, all)
	}
}
