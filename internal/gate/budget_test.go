package gate_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/policy"
)

// large returns an argument or a result that counts as large, about three to a megabyte.
func large(name string) string {
	return `{"` + name + `":"` + strings.Repeat("some words ", gate.SmallText/10) + `"}`
}

// soon fails the test if do takes longer than inspecting a few texts can take.
func soon(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%s waits for ever", what)
	}
}

func TestSmallCallsDoNotWaitForLargeOnes(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	release := h.gate.Occupy(gate.LargeBudget)
	defer release()
	soon(t, "a small call", func() { h.reads("notes", "read", "hello") })
}

// A script's calls are made while the script's own call is running, and so are the calls of a server that asks its
// client.
func TestALargeCallWithinALargeCallDoesNotWaitForIt(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	release := h.gate.Occupy(gate.LargeBudget - int64(len(large("text"))+len(large("answer")))) // room for one call
	defer release()
	inner := func(ctx context.Context, _ *mcpproxy.Call) *mcpproxy.Result {
		result, v := h.gate.Do(ctx, call("notes", "read", large("text")), answer(large("answer")))
		if result == nil {
			t.Errorf("the inner call: %+v", v)
			return &mcpproxy.Result{Raw: json.RawMessage(`{}`)}
		}
		return result
	}
	soon(t, "a call within a call", func() {
		if result, v := h.gate.Do(context.Background(), call("notes", "read", large("text")), inner); result == nil {
			t.Errorf("the outer call: %+v", v)
		}
	})
}

func TestACallThatIsCancelledWhileItWaitsIsDeniedAndRecorded(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	defer h.gate.Occupy(gate.LargeBudget)()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	sent := false
	_, v := h.gate.Do(
		ctx,
		call("notes", "write", large("text")),
		func(context.Context, *mcpproxy.Call) *mcpproxy.Result {
			sent = true
			return &mcpproxy.Result{Raw: json.RawMessage(`{}`)}
		},
	)
	if sent || v.Decision != mcpproxy.Deny || v.Rule != policy.RuleUnreadable {
		t.Errorf("sent %v, %+v", sent, v)
	}
	r := h.stored(v.ID)
	if r == nil || r.Decision != mcpproxy.Deny || strings.Contains(string(r.Arguments), "some words") {
		t.Errorf("the record: %+v", r)
	}
}

func TestAResultWhoseCallerGoesWhileItWaitsIsWithheld(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	ctx, cancel := context.WithCancel(context.Background())
	var release func()
	result, v := h.gate.Do(
		ctx,
		call("notes", "read", `{"path":"a"}`),
		func(context.Context, *mcpproxy.Call) *mcpproxy.Result {
			release = h.gate.Occupy(gate.LargeBudget)
			cancel()
			return &mcpproxy.Result{Raw: json.RawMessage(large("answer"))}
		},
	)
	release()
	if result != nil || v.Decision != mcpproxy.Deny || v.Rule != policy.RuleUnreadable {
		t.Errorf("%v, %+v", result != nil, v)
	}
}

// A hook's call and its result wait for the budget like others.
func TestAHooksCallThatIsCancelledWhileItWaitsIsDenied(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	defer h.gate.Occupy(gate.LargeBudget)()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := call("", "Write", large("content"))
	c.Channel = mcpproxy.ChannelHook
	if p := h.gate.Announced(ctx, c, gate.Hook{Agent: "a", Event: "PreToolUse"}); p.Verdict.Decision != mcpproxy.Deny {
		t.Errorf("%+v", p.Verdict)
	}
	v := h.gate.Reported(
		ctx,
		nil,
		c,
		&mcpproxy.Result{Raw: json.RawMessage(large("content"))},
		gate.Hook{Agent: "a", Event: "PostToolUse"},
	)
	if v.Rule != policy.RuleUnreadable {
		t.Errorf("%+v", v)
	}
}

func TestATextThatIsLargerThanTheBudgetIsInspectedAlone(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	release := h.gate.Occupy(1)
	done := make(chan mcpproxy.Verdict, 1)
	go func() {
		_, v := h.gate.Do(
			context.Background(),
			call("notes", "write", `{"text":"`+strings.Repeat("x", gate.LargeBudget)+`"}`),
			answer(`{}`),
		)
		done <- v
	}()
	release()
	soon(t, "a text above the budget", func() {
		if v := <-done; v.Rule == policy.RuleUnreadable {
			t.Errorf("%+v", v)
		}
	})
}
