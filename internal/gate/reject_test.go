package gate_test

import (
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/ledger"
)

// rejected returns the records of refused calls, oldest first.
func (h *rig) rejected() (all []*mcpproxy.Record) {
	h.t.Helper()
	h.log.Close() // waits until all of them are in the file
	q := ledger.Filter{OldestFirst: true, Status: mcpproxy.StatusRejected}
	err := h.reader().Scan(h.t.Context(), q, func(r *mcpproxy.Record) error { all = append(all, r); return nil })
	if err != nil {
		h.t.Fatal(err)
	}
	return all
}

func TestARejectedCallIsOnRecordMaskedAndBounded(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	const key = "ghp_" + "Zq7RkT2mXw9LpB4vNc8HsD1fGj6YuE3oAi5V"
	c := call("notes", key, `{}`)
	c.RequestID = `"` + strings.Repeat("9", 5000) + `"`
	h.gate.Reject(c, "duplicate key \""+key+"\" "+strings.Repeat("x", 5000))
	all := h.rejected()
	if len(all) != 1 {
		t.Fatalf("%d records", len(all))
	}
	r := all[0]
	if r.Type != mcpproxy.RecordPolicyDecision || r.Principal != "alice" || r.SessionID != "mcp-1" ||
		r.ServerName != "notes" ||
		r.Decision != "" {
		t.Errorf("%+v", r)
	}
	said := r.ToolName + r.ErrorMessage + r.Metadata.Reason
	if strings.Contains(said, key) || !strings.Contains(said, "duplicate key") {
		t.Errorf("the record says %.300q", said)
	}
	if len(r.RequestID) > 400 || len(r.ErrorMessage) > 1200 || len(r.ToolName) > 400 {
		t.Errorf(
			"%d bytes of an id, %d of a reason, %d of a name",
			len(r.RequestID),
			len(r.ErrorMessage),
			len(r.ToolName),
		)
	}
	if h.published(journal.EventCompleted) != 1 {
		t.Error("no event was published")
	}
}

func TestAFloodOfRefusalsIsCountedAndNotWrittenDown(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	const flood = 1000
	for range flood {
		h.gate.Reject(call("notes", "none", `{}`), "there is no such tool")
	}
	other := call("notes", "none", `{}`)
	other.Principal = "bob"
	h.gate.Reject(other, "there is no such tool")
	h.gate.CloseRejections()
	var one, left, bobs int64
	for _, r := range h.rejected() {
		switch n, counted := r.Metadata.Detail["left_out"].(float64); {
		case r.Principal == "bob":
			bobs++
		case counted && strings.Contains(r.ErrorMessage, "more calls were refused between"):
			left += int64(n)
		default:
			one++
		}
	}
	if one > 100 || one == 0 || one+left != flood {
		t.Errorf("of %d refusals %d have records, and %d are counted", flood, one, left)
	}
	if bobs != 1 {
		t.Errorf("another principal has %d records, want 1", bobs)
	}
}
