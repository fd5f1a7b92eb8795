package gate_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/policy"
)

// A stop holds even if it cannot be recorded, and the answer then names no record.
func TestAStopWithoutARecordSaysSo(t *testing.T) {
	s := defaults()
	s.Kill = true
	h := newRig(t, t.TempDir(), s)
	v, _ := h.does(call("notes", "read_note", `{"id":"1"}`))
	if v.ID == "" || h.stored(v.ID) == nil || !strings.Contains(journal.Explain(v), "activity "+v.ID) {
		t.Fatalf("with a log that works: %+v", v)
	}
	h.log.Close() // it accepts no more records
	mcp, sent := h.does(call("notes", "read_note", `{"id":"1"}`))
	told := h.gate.Announced(context.Background(), call("", "Read", `{"file_path":"a"}`), gate.Hook{}).Verdict
	refused := h.gate.Decide(context.Background(), gate.Request{
		Call:    call("notes", "read_note", `{}`),
		Refusal: &policy.Ruling{Rule: "groups.a"},
	}).Verdict
	for name, v := range map[string]mcpproxy.Verdict{"a call": mcp, "a hook's call": told, "a script's call": refused} {
		text := journal.Explain(v)
		if v.Decision != mcpproxy.Deny || sent || v.ID != "" {
			t.Errorf("%s: sent %v, %+v", name, sent, v)
		}
		if !strings.Contains(text, journal.Unrecorded) || strings.Contains(text, "activity 0") ||
			strings.Contains(text, "mcpproxy explain") {
			t.Errorf("%s: the agent reads %q", name, text)
		}
	}
}

func TestEveryCallIsDeniedWhileTheLogFails(t *testing.T) {
	var failure error
	s := defaults()
	s.LogFailure = func() error { return failure }
	h := newRig(t, t.TempDir(), s)
	script := call("", "execute", `{"code":"1"}`)
	script.Kind, script.Channel = mcpproxy.KindScript, mcpproxy.ChannelCode
	inner := call("notes", "read_note", `{"id":"1"}`)
	inner.Channel = mcpproxy.ChannelCode
	resource := call("notes", "note://1", `{}`)
	resource.Kind = mcpproxy.KindResource
	own := func() *mcpproxy.Call {
		c := call("", "Read", `{"file_path":"a"}`)
		c.Channel = mcpproxy.ChannelHook
		return c
	}
	for _, failing := range []bool{true, false} {
		if failure = nil; failing {
			failure = errors.New("database or disk is full (13)")
		}
		verdicts := map[string]mcpproxy.Verdict{
			"a hook's call": h.gate.Announced(context.Background(), own(), gate.Hook{}).Verdict,
		}
		for name, c := range map[string]*mcpproxy.Call{
			"a call":          call("notes", "read_note", `{"id":"1"}`),
			"a resource":      resource,
			"a script":        script,
			"a script's call": inner,
		} {
			c.ID = ""
			verdicts[name], _ = h.does(c)
		}
		for name, v := range verdicts {
			denied := v.Decision == mcpproxy.Deny && v.Rule == policy.RuleLog
			if denied != failing {
				t.Errorf("failing %v, %s: %+v", failing, name, v)
			}
			if failing &&
				(!strings.Contains(v.Reason, "disk is full") || !strings.Contains(v.Reason, "mcpproxy doctor")) {
				t.Errorf("%s: the reason is %q", name, v.Reason)
			}
		}
		if _, free := h.gate.Preview(own()); free == failing {
			t.Errorf("failing %v, and a hook's call is free: %v", failing, free)
		}
		if _, closed := h.gate.Closed(); closed != failing {
			t.Errorf("failing %v, and the gate is closed: %v", failing, closed)
		}
	}
}
