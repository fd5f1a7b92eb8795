package gateway_test

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/hook/evaluate"
)

// hooks returns an evaluator of hooks that shares the rig's gate.
func (r *rig) hooks() *evaluate.Evaluator {
	e := evaluate.New(evaluate.Sources{
		Gate:     r.gate,
		Tracker:  r.tracker,
		Sessions: r.sessions,
		Links:    r.links,
		Tool:     r.catalog.Tool,
		Servers:  func() []string { return []string{"mcpproxy", "notes", "chat"} },
	}, evaluate.Settings{Enabled: true, FailOpen: true, AskFallback: mcpproxy.Deny})
	r.t.Cleanup(e.Close)
	return e
}

// told makes a hook report a call of this proxy, or its result if there is one. An agent without tool-call ids sends
// none.
func (r *rig) told(e *evaluate.Evaluator, session, id, tool, input, result string) evaluate.Answer {
	event, rest := "PreToolUse", ""
	if result != "" {
		event, rest = "PostToolUse", `,"tool_response":`+result
	}
	if id != "" {
		rest += fmt.Sprintf(`,"tool_use_id":%q`, id)
	}
	body := fmt.Sprintf(
		`{"event":%q,"session_id":%q,"tool_name":"mcp__mcpproxy__%s","tool_input":%s%s}`,
		event,
		session,
		tool,
		input,
		rest,
	)
	return e.Evaluate(context.Background(), evaluate.Question{Body: []byte(body), Principal: "local"})
}

// makes makes a call over MCP and returns its record.
func (r *rig) makes(a *agent, id, tool, input string) *mcpproxy.Record {
	r.t.Helper()
	before := len(r.recorded())
	meta := ""
	if id != "" {
		meta = fmt.Sprintf(`"claudecode/toolUseId":%q`, id)
	}
	body, headers := a.message(
		"1",
		"tools/call",
		fmt.Sprintf(`{"name":%q,"arguments":%s,"_meta":{%s}}`, tool, input, meta),
		`{}`,
	)
	a.send(body, headers).response()
	r.until("the call is recorded", func() bool { return len(r.recorded()) > before })
	return r.recorded()[before]
}

// A hook's report of a call and the call itself are one activity: it is counted once, its result is one origin, and
// the two records refer to each other.
func TestACallAndItsHookReportAreOneActivity(t *testing.T) {
	for name, id := range map[string]string{"with an id": "toolu_1", "without": ""} {
		for _, era := range []string{"stateful", "stateless"} {
			t.Run(name+", "+era, func(t *testing.T) {
				r := newRig(t, setup{name: "notes", server: notes()}, setup{name: "chat", server: chat()})
				e := r.hooks()
				a := r.stateless("/mcp")
				if era == "stateful" {
					a = r.stateful("/mcp", "2025-11-25", `{}`)
				}
				const secret = "Revenue of the northern region fell by a third in the autumn."
				read, write := report, fmt.Sprintf(`{"name":"chat:post_message","args":{"text":%q}}`, secret)
				next := func(n string) string { return strings.Replace(id, "1", n, 1) }

				pre := r.told(e, "h", id, "call_tool_read", read, "")
				made := r.makes(a, id, "call_tool_read", read)
				if made.ParentID != pre.ActivityID || made.FlowSessionID != flow.HookKey("h") ||
					made.Type != mcpproxy.RecordToolCall ||
					made.CoverageMode != mcpproxy.CoverageFull {
					t.Fatalf("the call's record is %+v", made)
				}
				post := r.told(e, "h", id, "call_tool_read", read, `[{"type":"text","text":"`+secret+`"}]`)
				all := r.recorded()
				last := all[len(all)-1]
				if last.ID != post.ActivityID || last.ParentID != pre.ActivityID || last.Response != nil ||
					last.Type != mcpproxy.RecordHookEvaluation {
					t.Errorf("the report's record is %+v", last)
				}
				r.told(e, "h", next("2"), "call_tool_write", write, "")
				sent := r.makes(a, next("2"), "call_tool_write", write)
				if sent.FlowType != mcpproxy.InternalToExternal || !strings.HasPrefix(string(sent.Decision), "warn") {
					t.Errorf("the send's record is %+v", sent)
				}
				r.told(e, "h", next("2"), "call_tool_write", write, `[{"type":"text","text":"ok"}]`)
				s, _ := r.sessions.Peek(flow.HookKey("h"))
				if sum := s.Summary(); sum.Origins != 2 || sum.Edges != 1 {
					t.Errorf("two calls are %d origins and %d flows", sum.Origins, sum.Edges)
				}
				// The same call again, without a report by a hook, is counted.
				again := r.makes(a, next("2"), "call_tool_write", write)
				if again.ParentID != "" {
					t.Errorf("a second call belongs to the first one's evaluation: %+v", again)
				}
			})
		}
	}
}

func TestACallThatDiffersFromTheHookReportIsAnotherCall(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes()})
	e, a := r.hooks(), r.stateless("/mcp")
	r.told(e, "h", "toolu_1", "call_tool_read", report, "")
	made := r.makes(a, "toolu_1", "call_tool_read", strings.Replace(report, "autumn", "winter", 1))
	if made.ParentID != "" || made.FlowSessionID != flow.HookKey("h") {
		t.Errorf("%+v", made)
	}
}

// An agent may reach a server without the proxy. Then only its hook reports the calls.
func TestAResultThatTheProxyHasNotSeenIsAnOrigin(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes()})
	e := r.hooks()
	r.told(e, "h", "toolu_1", "call_tool_read", report, "")
	r.told(e, "h", "toolu_1", "call_tool_read", report, `"some text that nobody else has seen"`)
	s, _ := r.sessions.Peek(flow.HookKey("h"))
	if sum := s.Summary(); sum.Origins != 1 {
		t.Errorf("%d origins", sum.Origins)
	}
}

// Spec-027, story 5.
// Shows: story 5.
func TestStoryHookAndMCPSessionsAreOne(t *testing.T) {
	rig := func(t *testing.T) (*rig, *evaluate.Evaluator) {
		r := newRig(t, setup{name: "notes", server: notes()})
		return r, r.hooks()
	}
	other := strings.Replace(report, "autumn", "winter of the year before", 1)
	t.Run("1: a hook's call and the same call over MCP link the sessions", func(t *testing.T) {
		r, e := rig(t)
		a := r.stateful("/mcp", "2025-11-25", `{}`)
		r.told(e, "cc-session-abc", "", "call_tool_read", report, "")
		if got := r.makes(a, "", "call_tool_read", report).FlowSessionID; got != flow.HookKey("cc-session-abc") {
			t.Errorf("it belongs to %q", got)
		}
	})
	t.Run("2: later calls of the session belong to it", func(t *testing.T) {
		r, e := rig(t)
		a := r.stateful("/mcp", "2025-11-25", `{}`)
		r.told(e, "h", "", "call_tool_read", report, "")
		r.makes(a, "", "call_tool_read", report)
		if got := r.makes(a, "", "call_tool_read", other).FlowSessionID; got != flow.HookKey("h") {
			t.Errorf("it belongs to %q", got)
		}
	})
	t.Run("3: two agents are told apart", func(t *testing.T) {
		r, e := rig(t)
		a, b := r.stateful("/mcp", "2025-11-25", `{}`), r.stateful("/mcp", "2025-11-25", `{}`)
		r.told(e, "h1", "", "call_tool_read", report, "")
		r.told(e, "h2", "", "call_tool_read", other, "")
		if got := r.makes(b, "", "call_tool_read", other).FlowSessionID; got != flow.HookKey("h2") {
			t.Errorf("the second belongs to %q", got)
		}
		if got := r.makes(a, "", "call_tool_read", report).FlowSessionID; got != flow.HookKey("h1") {
			t.Errorf("the first belongs to %q", got)
		}
	})
	t.Run("4: what has waited too long links nothing", func(t *testing.T) {
		r, e := rig(t)
		r.links.SetLife(time.Nanosecond)
		a := r.stateful("/mcp", "2025-11-25", `{}`)
		r.told(e, "h", "", "call_tool_read", report, "")
		got := r.makes(a, "", "call_tool_read", report)
		if !strings.HasPrefix(got.FlowSessionID, "mcp:") || got.ParentID != "" {
			t.Errorf("it belongs to %q", got.FlowSessionID)
		}
	})
}

// Spec-027, SC-005: a thousand calls of twenty agents, half of them without tool-call ids. The calls come one at a
// time, so that each must be matched individually. Now and then, several agents make the same call with the same
// arguments.
// Shows: FR-034.
func TestAThousandCallsOfTwentyAgentsFindTheirSessions(t *testing.T) {
	const agents, rounds, equal = 20, 50, 4
	r := newRig(t, setup{name: "notes", server: notes()})
	r.links.SetLife(time.Hour) // the machine may be slow
	e, client := r.hooks(), r.stateless("/mcp")
	order := rand.New(rand.NewSource(1))
	right, wrong := 0, 0
	for round := range rounds {
		type call struct{ hook, id, input, activity string }
		calls := make([]call, agents)
		for i := range calls {
			c := call{
				hook:  fmt.Sprint("h", i),
				input: fmt.Sprintf(`{"name":"notes:echo","args":{"text":"agent %d says %d"}}`, i, round),
			}
			if i%2 == 0 {
				c.id = fmt.Sprintf("toolu_%d_%d", i, round)
			}
			if round == rounds/2 && i < equal {
				c.input = `{"name":"notes:echo","args":{"text":"they all say the same"}}`
			}
			c.activity = r.told(e, c.hook, c.id, "call_tool_read", c.input, "").ActivityID
			calls[i] = c
		}
		order.Shuffle(agents, func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
		for _, c := range calls {
			made := r.makes(client, c.id, "call_tool_read", c.input)
			switch {
			case made.FlowSessionID == flow.HookKey(c.hook) && made.ParentID == c.activity:
				right++
			case strings.HasPrefix(made.FlowSessionID, flow.HookPrefix) || made.ParentID != "":
				wrong++
				t.Errorf("the call of %s belongs to %s", c.hook, made.FlowSessionID)
			}
		}
	}
	if total := agents * rounds; wrong > 0 || right < total*99/100 {
		t.Errorf("of %d calls %d were linked right and %d wrong", total, right, wrong)
	} else {
		t.Logf("of %d calls %d were linked right and %d wrong", total, right, wrong)
	}
}
