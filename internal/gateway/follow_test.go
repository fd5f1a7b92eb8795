package gateway_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/flow"
)

// report are the arguments of a call that a hook reports.
const report = `{"name":"notes:get_report","args":{"text":"autumn"}}`

// read calls a tool that reads the report, with the given members in _meta, and returns the call's record.
func (r *rig) read(a *agent, meta string, header map[string]string) *mcpproxy.Record {
	r.t.Helper()
	before := len(r.recorded())
	params := fmt.Sprintf(`{"name":"call_tool_read","arguments":%s,"_meta":{%s}}`, report, meta)
	body, headers := a.message("1", "tools/call", params, `{}`)
	if headers == nil {
		headers = map[string]string{}
	}
	maps.Copy(headers, header)
	if m, _ := a.send(body, headers).response(); m.Result == nil {
		r.t.Fatalf("%s", m.Raw)
	}
	r.until("the call is recorded", func() bool { return len(r.recorded()) > before })
	return r.recorded()[before]
}

// Shows: FR-031.
func TestACallBelongsToTheHookSessionThatReportedIt(t *testing.T) {
	for name, c := range map[string]struct {
		expect func(*flow.Correlator)
		live   string // hook session with a reported event
		meta   string
		header map[string]string
		want   string // hook session of the call; "" for the call's own session
	}{
		"by Claude Code's tool-call id": {func(c *flow.Correlator) { tells(c, "h1", "toolu_01", nil, time.Now()) }, "",
			`"claudecode/toolUseId":"toolu_01"`, nil, "h1"},
		"by Codex's call id":                         {func(c *flow.Correlator) { tells(c, "h1", "call_01", nil, time.Now()) }, "", `"callId":"call_01"`, nil, "h1"},
		"by Codex's session":                         {nil, "h1", `"callId":"call_01","sessionId":"h1"`, nil, "h1"},
		"by the session that the stdio bridge names": {nil, "h1", "", map[string]string{"X-Mcpproxy-Session": "h1"}, "h1"},
		"by the same arguments in another order": {func(c *flow.Correlator) {
			tells(c, "h1", "", []byte(`{"args": {"text": "autumn"}, "name": "notes:get_report"}`), time.Now())
		}, "", "", nil, "h1"},
		"not by another id":                    {func(c *flow.Correlator) { tells(c, "h1", "toolu_01", []byte(report), time.Now()) }, "", `"claudecode/toolUseId":"toolu_02"`, nil, ""},
		"not by an unknown session":            {nil, "h1", "", map[string]string{"X-Mcpproxy-Session": "h2"}, ""},
		"not by arguments of five seconds ago": {func(c *flow.Correlator) { tells(c, "h1", "", []byte(report), time.Now().Add(-6*time.Second)) }, "", "", nil, ""},
		"not by arguments that two sessions had": {func(c *flow.Correlator) {
			tells(c, "h1", "", []byte(report), time.Now())
			tells(c, "h2", "", []byte(report), time.Now())
		}, "", "", nil, ""},
	} {
		for _, era := range []string{"stateful", "stateless"} {
			t.Run(name+", "+era, func(t *testing.T) {
				r := newRig(t, setup{name: "notes", server: notes()})
				if c.live != "" {
					r.sessions.Get(flow.HookKey(c.live))
				}
				if c.expect != nil {
					c.expect(r.links)
				}
				a := r.stateless("/mcp")
				if era == "stateful" {
					a = r.stateful("/mcp", "2025-11-25", `{}`)
				}
				got := r.read(a, c.meta, c.header).FlowSessionID
				if linked := got == flow.HookKey(c.want); c.want == "" && got[:4] != "mcp:" || c.want != "" && !linked {
					t.Errorf("the call belongs to %q", got)
				}
			})
		}
	}
}

// tells makes a hook report a call, identified by its tool-call id and its arguments only.
func tells(c *flow.Correlator, session, toolCall string, arguments []byte, at time.Time) {
	c.Announce(flow.HookCall{Session: session, ToolCall: toolCall, Arguments: arguments}, at)
}

// Shows: FR-032.
func TestALinkedSessionStaysLinked(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes()})
	a, b := r.stateful("/mcp", "2025-11-25", `{}`), r.stateful("/mcp", "2025-11-25", `{}`)
	tells(r.links, "h1", "toolu_01", nil, time.Now())
	r.read(a, `"claudecode/toolUseId":"toolu_01"`, nil)
	tells(r.links, "h2", "", []byte(report), time.Now())
	if got := r.read(a, "", nil).FlowSessionID; got != flow.HookKey("h1") {
		t.Errorf("the linked session's next call belongs to %q", got)
	}
	if got := r.read(b, "", nil).FlowSessionID; got != flow.HookKey("h2") {
		t.Errorf("the call of the other session belongs to %q", got)
	}
}

// Two connections belong to one agent: one reads data, and the other sends it.
func TestConnectionsOfOneHookSessionShareWhatTheyHaveRead(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes()}, setup{name: "chat", server: chat()})
	a, b := r.stateful("/mcp", "2025-11-25", `{}`), r.stateful("/mcp/s/chat", "2025-11-25", `{}`)
	r.read(a, "", nil) // before anything is linked
	tells(r.links, "h1", "toolu_01", nil, time.Now())
	tells(r.links, "h1", "toolu_02", nil, time.Now())
	r.read(a, `"claudecode/toolUseId":"toolu_01"`, nil)
	params := `{"name":"post_message","arguments":{"text":"Revenue of the northern region fell by a third in the autumn."},"_meta":{"claudecode/toolUseId":"toolu_02"}}`
	b.call("1", "tools/call", params).response()
	r.until("the post is recorded", func() bool {
		all := r.recorded()
		return all[len(all)-1].ServerName == "chat"
	})
	if all := r.recorded(); all[len(all)-1].FlowType != mcpproxy.InternalToExternal {
		t.Errorf("the post is no flow: %+v", all[len(all)-1])
	}
}

func TestASlashInAPathDoesNotSelectAnotherSession(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes()})
	first, second := r.read(r.stateless("/mcp"), "", nil), r.read(r.stateless("/mcp/"), "", nil)
	if first.FlowSessionID != second.FlowSessionID {
		t.Errorf("%q and %q", first.FlowSessionID, second.FlowSessionID)
	}
}
