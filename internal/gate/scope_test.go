package gate_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/approval"
	"mcpproxy/internal/policy"
)

// A person cannot approve a call outside the scope of the agent's token. If the token is revoked while a person is
// asked, the call is stopped.
func TestATokenIsCheckedAgainAfterAPersonAgreed(t *testing.T) {
	h, d := asks(t, approval.Rules{Elicitation: true, Wait: time.Minute})
	var revoked atomic.Bool
	s := defaults()
	s.Tables.Operations[mcpproxy.Write] = mcpproxy.Ask
	s.Desk, s.Version = d, "p1"
	s.Scope = func(c *mcpproxy.Call, op mcpproxy.Operation) string {
		if revoked.Load() || op == mcpproxy.Destructive {
			return "The token is not for this."
		}
		return ""
	}
	h.gate.Configure(s)
	thinking := func(context.Context, approval.Prompt) (approval.Reply, error) {
		revoked.Store(true)
		return approval.Reply{Action: "accept"}, nil
	}
	if v, sent := h.asked(
		call("github", "create_note", `{"text":"hello"}`),
		thinking,
	); sent || v.Rule != policy.RuleScope ||
		v.Decision != mcpproxy.Deny {
		t.Errorf("revoked while a person was asked: sent %t, %+v", sent, v)
	}
	revoked.Store(false)
	shown := ""
	if v, sent := h.asked(
		call("github", "delete_repository", `{}`),
		saying("accept", &shown),
	); sent || v.Rule != policy.RuleScope ||
		shown != "" {
		t.Errorf("out of scope from the start: sent %t, asked %q, %+v", sent, shown, v)
	}
	if v, sent := h.asked(call("github", "create_note", `{"text":"again"}`), saying("accept", nil)); !sent {
		t.Errorf("in scope: %+v", v)
	}
}
