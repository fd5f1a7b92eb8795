package codemode_test

import (
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/codemode"
)

// Every call of a script is recorded, even a call that reaches no server.
func TestARefusedCallOfAScriptLeavesARecord(t *testing.T) {
	r := newRig(t, func(l *codemode.Limits) { l.Calls, l.Args = 1, 1000 }, nil)
	for name, c := range map[string]struct {
		code         string
		server, tool string
		reason       string
	}{
		"an unknown tool":        {`async () => { await forge.callTool("notes", "fly", {}) }`, "notes", "fly", "no tool"},
		"too long arguments":     {`async () => { await forge.callTool("notes", "echo", {text: "x".repeat(2000)}) }`, "notes", "echo", "code_execution.max_args_bytes"},
		"one call too many":      {`async () => { await forge.callTool("notes", "echo", {text: "a"}); await forge.callTool("notes", "echo", {text: "b"}) }`, "notes", "echo", "code_execution.max_tool_calls"},
		"arguments of no object": {`async () => { await forge.callTool("notes", "echo", [1]) }`, "notes", "echo", "object"},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(r.recorded())
			out := r.run(c.code)
			if out.Error == nil {
				t.Fatalf("it was not refused: %s", out.Value)
			}
			var rejected []*mcpproxy.Record
			script := ""
			for _, rec := range r.recorded()[before:] {
				if rec.Status == mcpproxy.StatusRejected {
					rejected = append(rejected, rec)
				}
				if rec.ToolName == "execute" {
					script = rec.ID
				}
			}
			if len(rejected) != 1 {
				t.Fatalf("%d records of refusals; the script got %+v", len(rejected), out.Error)
			}
			rec := rejected[0]
			if rec.ServerName != c.server || rec.ToolName != c.tool || rec.ParentID != script ||
				!strings.Contains(rec.ErrorMessage, c.reason) {
				t.Errorf(
					"%s:%s of %s (the script is %s): %q",
					rec.ServerName,
					rec.ToolName,
					rec.ParentID,
					script,
					rec.ErrorMessage,
				)
			}
		})
	}
}
