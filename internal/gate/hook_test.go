package gate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/risk"
)

// hooked returns a call as an agent's hook announces it.
func hooked(server, tool, args string) *mcpproxy.Call {
	c := call(server, tool, args)
	c.Channel = mcpproxy.ChannelHook
	return c
}

func hasSignal(v mcpproxy.Verdict, kind string) bool {
	for _, s := range v.Signals {
		if s.Kind == kind {
			return true
		}
	}
	return false
}

// A call that a hook announced counts once: three announced calls are three sends.
func TestACallThatAHookAnnouncedCountsOnce(t *testing.T) {
	s := defaults()
	s.Limits = risk.Limits{CallsPerMinute: 3, Window: time.Minute}
	h := newRig(t, t.TempDir(), s)
	for i := range 4 {
		args := fmt.Sprintf(`{"channel":"#x","text":"hello %d"}`, i)
		p := h.gate.Announced(context.Background(), hooked("slack", "post_message", args), gate.Hook{})
		c := call("slack", "post_message", args)
		c.Announced, c.ParentID = true, p.Call.ID
		made, _ := h.does(c)
		told := hasSignal(p.Verdict, "rapid_external_sends")
		if told != (i == 3) || hasSignal(made, "rapid_external_sends") {
			t.Errorf("pair %d: %+v, %+v", i+1, p.Verdict, made)
		}
	}
	v, _ := h.does(call("slack", "post_message", `{"channel":"#x","text":"alone"}`))
	if !hasSignal(v, "rapid_external_sends") {
		t.Error("a call that no hook announced was not counted")
	}
}

// Frequent sends alone raise an alert; nobody is asked about them.
//
// Shows: RFC-23.
func TestSendsAboveTheRateRaiseAnAlert(t *testing.T) {
	s := defaults()
	s.Limits = risk.Limits{CallsPerMinute: 3, Window: time.Minute}
	h := newRig(t, t.TempDir(), s)
	for i := range 5 {
		v, sent := h.does(call("slack", "post_message", fmt.Sprintf(`{"channel":"#x","text":"hello %d"}`, i)))
		if want := max(0, i-2); !sent || h.published(journal.EventFlowAlert) != want {
			t.Errorf("send %d: sent %v, %d alerts, want %d: %+v", i+1, sent, h.published(journal.EventFlowAlert), want, v)
		}
	}
}

// If the policy redacts and the call contains nothing to redact, the verdict, the answer to the agent and the record
// agree.
func TestRedactReachesAHookAsOneAnswer(t *testing.T) {
	s := defaults()
	s.Tables.InternalToExternal = mcpproxy.Redact
	h := newRig(t, t.TempDir(), s)
	h.reads("github", "get_file", summary)
	c := hooked("slack", "post_message", object("text", summary))
	p := h.gate.Announced(context.Background(), c, gate.Hook{})
	if r := h.stored(p.Call.ID); p.Verdict.Decision != mcpproxy.Ask || r == nil || r.Decision != mcpproxy.Ask {
		t.Errorf("answer %s, record %+v", p.Verdict.Decision, r)
	}
}

// A call that a hook has announced is inspected when it arrives over MCP.
func TestACallThatAHookAnnouncedIsInspected(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	h.reads("github", "get_file", "token: "+gitToken)
	c := call("slack", "post_message", object("text", gitToken))
	c.Announced = true
	if v, sent := h.does(c); v.Decision != mcpproxy.Deny || sent {
		t.Errorf("%+v", v)
	}
}

// Shows: FR-042.
func TestIfAHookCannotChangeACallTheUserIsAsked(t *testing.T) {
	s := defaults()
	s.Tables.SensitiveDataExternal, s.Tables.SessionTaint = mcpproxy.Redact, mcpproxy.Allow
	h := newRig(t, t.TempDir(), s)
	h.reads("github", "get_file", "token: "+gitToken)
	args := object("text", gitToken)
	if p := h.gate.Announced(
		context.Background(),
		hooked("slack", "post_message", args),
		gate.Hook{},
	); p.Verdict.Decision != mcpproxy.Ask {
		t.Errorf("%+v", p.Verdict)
	}
	p := h.gate.Announced(context.Background(), hooked("slack", "post_message", args), gate.Hook{NoAsk: mcpproxy.Deny})
	if p.Verdict.Decision != mcpproxy.Deny || !p.Verdict.Asked {
		t.Errorf("%+v", p.Verdict)
	}
	r := h.stored(p.Call.ID)
	if r == nil || r.Type != mcpproxy.RecordHookEvaluation || r.Status != mcpproxy.StatusBlocked {
		t.Errorf("it is not on disk: %+v", r)
	}
	if v, sent := h.does(call("slack", "post_message", args)); v.Decision != mcpproxy.Redact || !sent {
		t.Errorf("over MCP: %+v", v)
	}
}

// The policy for destructive tools of servers does not apply to an agent's own tools.
func TestAnAgentMayDeleteOnItsOwnMachine(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	for _, c := range []*mcpproxy.Call{hooked("", "KillShell", `{"shell_id":"1"}`), hooked("", "delete_file", `{"path":"x"}`),
		hooked("", "WebSearch", `{"query":"what does drop table users do"}`), hooked("", "Bash", `{"command":"rm -r build"}`)} {
		if p := h.gate.Announced(context.Background(), c, gate.Hook{}); p.Stopped() {
			t.Errorf("%s: %+v", c.Tool, p.Verdict)
		}
	}
	if p := h.gate.Announced(
		context.Background(),
		hooked("files", "delete_file", `{"path":"x"}`),
		gate.Hook{},
	); p.Verdict.Decision != mcpproxy.Deny {
		t.Errorf("a server's tool: %+v", p.Verdict)
	}
}

// A reported result is stored whether or not the call was announced. A result that cannot be inspected counts as a
// finding.
func TestReportedResults(t *testing.T) {
	for name, known := range map[string]bool{"of a call that was told of": true, "of one that was not": false} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), defaults())
			var before *gate.Decided
			if known {
				before = h.gate.Announced(context.Background(), hooked("", "Read", `{"file_path":"x"}`), gate.Hook{}).WithoutText()
			}
			v := h.gate.Reported(
				context.Background(),
				before,
				hooked("", "Read", `{"file_path":"x"}`),
				&mcpproxy.Result{Raw: json.RawMessage(quoted(gitToken))},
				gate.Hook{},
			)
			if v.Decision != mcpproxy.Allow {
				t.Errorf("%+v", v)
			}
			p := h.gate.Announced(
				context.Background(),
				hooked("", "WebFetch", object("url", "https://x.example.com/"+gitToken)),
				gate.Hook{},
			)
			if p.Verdict.Decision != mcpproxy.Deny {
				t.Errorf("what was read may leave: %+v", p.Verdict)
			}
			v = h.gate.Reported(
				context.Background(),
				before,
				hooked("", "Read", `{}`),
				&mcpproxy.Result{Raw: json.RawMessage(`{"a":1,"a":2}`)},
				gate.Hook{},
			)
			if v.Decision != mcpproxy.Warn || !strings.Contains(v.Reason, "could not be inspected") {
				t.Errorf("%+v", v)
			}
		})
	}
}
