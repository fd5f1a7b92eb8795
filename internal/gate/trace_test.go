package gate_test

import (
	"context"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/gate"
)

// Every call belongs to a trace: its caller's, that of the hook that announced it, or its own. The server gets the
// same position as the log.
func TestEveryCallBelongsToATrace(t *testing.T) {
	remote, ok := mcpproxy.ParseTraceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")
	if !ok {
		t.Fatal("the example is not a valid header")
	}
	hook := gate.NewID()
	told := &mcpproxy.Call{
		ID:          hook,
		Channel:     mcpproxy.ChannelHook,
		Kind:        mcpproxy.KindTool,
		Session:     "s",
		FlowSession: "f",
		Tool:        "Read",
		Arguments:   []byte("{}"),
	}
	for name, c := range map[string]struct {
		parent string
		trace  mcpproxy.Trace
	}{
		"a caller's": {"", remote},
		"a hook's":   {hook, mcpproxy.Trace{}},
		"a caller's, although a hook announced it": {hook, remote},
		"its own": {"", mcpproxy.Trace{}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), defaults())
			told := *told
			h.gate.Announced(t.Context(), &told, gate.Hook{})
			one := call("notes", "read_note", "{}")
			one.ParentID, one.Trace = c.parent, c.trace
			var sent mcpproxy.Trace
			_, v := h.gate.Do(t.Context(), one, func(_ context.Context, c *mcpproxy.Call) *mcpproxy.Result {
				sent = c.Trace
				return &mcpproxy.Result{Raw: []byte(content("x"))}
			})
			h.log.Close()
			r, of := h.stored(v.ID), h.stored(hook)
			want, parent := c.trace.ID, c.trace.Parent
			if want == "" && c.parent != "" {
				want, parent = of.TraceID, of.SpanID
			}
			if want == "" {
				want = r.TraceID
			}
			if len(r.TraceID) != 32 || len(r.SpanID) != 16 || r.TraceID != want || r.Metadata.ParentSpan != parent ||
				r.SpanID == of.SpanID {
				t.Errorf(
					"trace %s, span %s, parent %s; want trace %s, parent %q",
					r.TraceID,
					r.SpanID,
					r.Metadata.ParentSpan,
					want,
					parent,
				)
			}
			if sent.ID != r.TraceID || sent.Span != r.SpanID {
				t.Errorf("the server would get %+v", sent)
			}
			if c.trace.Remote && sent.Flags != 0 {
				t.Error("a call that its caller does not sample is sampled")
			}
			if r.Metadata.InspectionMS <= 0 {
				t.Errorf("inspection took %f ms", r.Metadata.InspectionMS)
			}
		})
	}
}
