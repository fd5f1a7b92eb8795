package gate_test

import (
	"context"
	"testing"

	"mcpproxy/internal/gate"
)

// Who delivers an answer first and does the rest afterwards loses nothing: the next
// call finds the result, whether the rest has been done or not.
func TestWhatAnAnswerNeedNotWaitForIsLeftToWhoDeliversIt(t *testing.T) {
	const note = "The quarterly forecast assumes eleven percent growth in the southern region, and nobody outside knows."
	for name, done := range map[string]bool{"done at once": true, "not done yet": false} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, t.TempDir(), defaults())
			var rest []func()
			ctx := gate.WithLater(t.Context(), func(do func()) { rest = append(rest, do) })
			if r, v := h.gate.Do(ctx, call("files", "read_file", `{"path":"a"}`), answer(content(note))); r == nil {
				t.Fatalf("%+v", v)
			}
			if len(rest) != 1 {
				t.Fatalf("%d things are left to be done", len(rest))
			}
			if done {
				rest[0]()
			}
			p := h.gate.Before(context.Background(), call("slack", "post_message", `{"text":"`+note+`"}`))
			if len(p.Verdict.Edges) != 1 {
				t.Errorf("the note was not found: %+v", p.Verdict)
			}
		})
	}
}
