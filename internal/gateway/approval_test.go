package gateway_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/approval"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/wire"
)

// asking configures the rig's gate to ask about calls that write.
func (r *rig) asking(rules approval.Rules) *approval.Desk {
	rules.Expiry, rules.Policy = time.Minute, "p1"
	d := approval.New(rules, func(e approval.Event) { r.log.Add(e.Record) })
	r.t.Cleanup(d.Close)
	r.gate.Configure(askingSettings(d, "p1"))
	return d
}

func askingSettings(d *approval.Desk, version string) gate.Settings {
	t := tables()
	t.Operations[mcpproxy.Write] = mcpproxy.Ask
	s := settings(t)
	s.Desk, s.Version = d, version
	return s
}

// post returns a call that writes.
func post(text string) string {
	return fmt.Sprintf(`{"name":"post_message","arguments":{"text":%q}}`, text)
}

const yes, no, never = `{"action":"accept","content":{}}`, `{"action":"decline"}`, `{"action":"cancel"}`

// isAsked checks the question that the client's user gets.
func isAsked(t *testing.T, method string, params []byte) {
	t.Helper()
	if method != "elicitation/create" ||
		string(wire.Member(params, "requestedSchema", "properties", "remember", "enum")) != `["once","session"]` {
		t.Errorf("the client is asked %s %s", method, params)
	}
	text := wire.String(params, "message")
	if !strings.HasPrefix(text, "May the agent call chat:post_message?\n") ||
		!strings.Contains(text, `"text":"hello"`) {
		t.Errorf("the user is shown %q", text)
	}
}

func TestAStatefulClientsUserIsAsked(t *testing.T) {
	for name, c := range map[string]struct {
		answer, want string
		status       mcpproxy.Status
	}{
		"accept":     {`"result":` + yes, "you said hello", mcpproxy.StatusSuccess},
		"decline":    {`"result":` + no, "said no", mcpproxy.StatusRejected},
		"cancel":     {`"result":` + never, "was dismissed", mcpproxy.StatusRejected},
		"an error":   {`"error":{"code":-1,"message":"accept"}`, "did not", mcpproxy.StatusRejected},
		"no action":  {`"result":{}`, "was dismissed", mcpproxy.StatusRejected},
		"a list":     {`"result":["accept"]`, "was dismissed", mcpproxy.StatusRejected},
		"other case": {`"result":{"Action":"accept"}`, "was dismissed", mcpproxy.StatusRejected},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, setup{name: "chat", server: chat()})
			r.asking(approval.Rules{Elicitation: true})
			a := r.stateful("/mcp/s/chat", "2025-11-25", canElicit)
			before := len(r.recorded())
			x := a.call("1", "tools/call", post("hello"))
			q := x.next()
			if q == nil {
				t.Fatal("nobody is asked")
			}
			isAsked(t, q.Method, q.Params)
			a.send(`{"jsonrpc":"2.0","id":`+string(q.ID)+`,`+c.answer+`}`, nil)
			m, _ := x.response()
			if !strings.Contains(textOf(m), c.want) {
				t.Errorf("the agent hears %s", m.Raw)
			}
			r.until("the call is recorded", func() bool { return len(r.recorded()) >= before+3 })
			asked := r.recorded()[before]
			answered := r.recorded()[before+1]
			made := r.recorded()[before+2]
			if asked.Type != mcpproxy.RecordApproval || answered.Type != mcpproxy.RecordApproval ||
				made.Metadata.Approval != asked.ID ||
				made.Status != c.status ||
				answered.Status != c.status {
				t.Errorf("the records:\n%+v\n%+v\n%+v", asked, answered, made)
			}
		})
	}
}

func TestAStatelessClientsUserIsAsked(t *testing.T) {
	for name, c := range map[string]struct{ answer, want string }{
		"accept":   {yes, "you said hello"},
		"decline":  {no, "said no"},
		"cancel":   {never, "was dismissed"},
		"nonsense": {`"accept"`, "was dismissed"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, setup{name: "chat", server: chat()})
			r.asking(approval.Rules{Elicitation: true})
			for path, params := range map[string]string{"/mcp/s/chat": post("hello"),
				"/mcp/all": strings.Replace(post("hello"), "post_message", "chat__post_message", 1),
				"/mcp":     `{"name":"call_tool_write","arguments":{"name":"chat:post_message","args":{"text":"hello"}}}`} {
				a := r.stateless(path)
				m, _ := a.callAs("1", "tools/call", params, canElicit).response()
				if wire.String(m.Result, "resultType") != "input_required" {
					t.Fatalf("%s: the client is not asked: %s", path, m.Raw)
				}
				isAsked(
					t,
					wire.String(m.Result, "inputRequests", "mcpproxy", "method"),
					wire.Member(m.Result, "inputRequests", "mcpproxy", "params"),
				)
				m, _ = a.callAs("2", "tools/call", again(params, wire.String(m.Result, "requestState"), `{"mcpproxy":`+c.answer+`}`), canElicit).
					response()
				if !strings.Contains(textOf(m), c.want) {
					t.Errorf("%s: the agent hears %s", path, m.Raw)
				}
			}
		})
	}
}

// An answer counts only in the session that was asked, and only for the request that the question is about.
func TestAnAnswerCountsOnlyInItsOwnSession(t *testing.T) {
	r := newRig(t, setup{name: "chat", server: chat()})
	r.asking(approval.Rules{Elicitation: true})
	a, b := r.stateful("/mcp/s/chat", "2025-11-25", canElicit), r.stateful("/mcp/s/chat", "2025-11-25", canElicit)
	x := a.call("1", "tools/call", post("hello"))
	q := x.next()
	b.send(`{"jsonrpc":"2.0","id":`+string(q.ID)+`,"result":`+yes+`}`, nil)
	a.send(`{"jsonrpc":"2.0","id":`+string(q.ID)+`,"result":`+no+`}`, nil)
	if m, _ := x.response(); !strings.Contains(textOf(m), "said no") {
		t.Errorf("stateful: %s", m.Raw)
	}
	one := r.stateless("/mcp/s/chat")
	m, _ := one.callAs("1", "tools/call", post("hello"), canElicit).response()
	state := wire.String(m.Result, "requestState")
	body, header := one.message("2", "tools/call", again(post("hello"), state, `{"mcpproxy":`+yes+`}`), canElicit)
	header["X-Mcpproxy-Session"] = "other"
	if m, _ := one.send(body, header).response(); wire.Code(m) != wire.CodeInvalidParams {
		t.Errorf("from another session: %s", m.Raw)
	}
	if m, _ := one.callAs("2", "tools/call", again(post("hellp"), state, `{"mcpproxy":`+yes+`}`), canElicit).
		response(); wire.Code(
		m,
	) != wire.CodeInvalidParams {
		t.Errorf("with one byte changed: %s", m.Raw)
	}
	if m, _ := one.callAs("2", "tools/call", again(post("hello"), state, `{"mcpproxy":`+yes+`}`), canElicit).
		response(); textOf(
		m,
	) != "you said hello" {
		t.Errorf("the right one: %s", m.Raw)
	}
	if m, _ := one.callAs("3", "tools/call", again(post("hello"), state, `{"mcpproxy":`+yes+`}`), canElicit).
		response(); wire.Code(
		m,
	) != wire.CodeInvalidParams {
		t.Errorf("the same answer again: %s", m.Raw)
	}
}

// A session does not ask the same question twice. The user's choice stays in force.
func TestTheSameCallIsNotAskedAboutAgain(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		other  bool // whether a call with other arguments leads to a question
	}{
		"this call only":    {`{"action":"accept","content":{"remember":"once"}}`, true},
		"no choice":         {yes, true},
		"an invalid choice": {`{"action":"accept","content":{"remember":["session"]}}`, true},
		"what is not kept":  {`{"action":"accept","content":{"remember":"always"}}`, true},
		"in this session":   {`{"action":"accept","content":{"remember":"session"}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, setup{name: "chat", server: chat()})
			r.asking(approval.Rules{Elicitation: true})
			a := r.stateful("/mcp/s/chat", "2025-11-25", canElicit)
			in := func(text string) string {
				return fmt.Sprintf(`{"name":"post_message","arguments":{"channel":"#x","text":%q}}`, text)
			}
			x := a.call("1", "tools/call", in("hello"))
			q := x.next()
			if q == nil || q.Method == "" {
				t.Fatal("the call is not asked about")
			}
			a.send(`{"jsonrpc":"2.0","id":`+string(q.ID)+`,"result":`+c.answer+`}`, nil)
			// The server itself rejects every call, because it has no channels.
			if m, _ := x.response(); strings.Contains(textOf(m), "Blocked by") {
				t.Errorf("the call: %s", m.Raw)
			}
			if m, before := a.call("2", "tools/call", in("hello")).response(); len(before) > 0 ||
				strings.Contains(textOf(m), "Blocked by") {
				t.Errorf("the same call again: %s", m.Raw)
			}
			q = a.call("3", "tools/call", in("other words")).next()
			if asked := q != nil && q.Method == "elicitation/create"; asked != c.other {
				t.Errorf("other words: asked %t", asked)
			}
		})
	}
}

func TestAClientThatCannotAskIsNotAsked(t *testing.T) {
	r := newRig(t, setup{name: "chat", server: chat()})
	r.asking(approval.Rules{Elicitation: true})
	for name, capabilities := range map[string]string{"none": `{}`, "addresses only": `{"elicitation":{"url":{}}}`, "null": `{"elicitation":null}`} {
		if m, before := r.stateful("/mcp/s/chat", "2025-11-25", capabilities).
			call("1", "tools/call", post("hello")).
			response(); len(before) > 0 ||
			textOf(m) != "you said hello" {
			t.Errorf("%s, stateful: %s", name, m.Raw)
		}
		if m, _ := r.stateless("/mcp/s/chat").
			callAs("1", "tools/call", post("hello"), capabilities).
			response(); textOf(
			m,
		) != "you said hello" {
			t.Errorf("%s, stateless: %s", name, m.Raw)
		}
	}
	for _, rec := range r.recorded() {
		if rec.ToolName == "post_message" && (rec.Decision != mcpproxy.Warn || rec.Metadata.Approval != "") {
			t.Errorf("%+v", rec)
		}
	}
}

func TestACancelEndsTheWaiting(t *testing.T) {
	r := newRig(t, setup{name: "chat", server: chat()})
	d := r.asking(approval.Rules{Wait: time.Minute})
	for name, a := range map[string]*agent{"stateful": r.stateful("/mcp/s/chat", "2025-11-25", `{}`), "stateless": r.stateless("/mcp/s/chat")} {
		t.Run(name, func(t *testing.T) {
			leave := a.hang("7", "tools/call", post("hello"))
			r.until("the call waits", func() bool { return len(d.Pending()) == 1 })
			if name == "stateful" {
				a.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, nil)
			} else {
				leave()
			}
			r.until("nothing waits", func() bool { return len(d.Pending()) == 0 })
		})
	}
}

// askAlways is a rule of the user's own that asks about every call.
type askAlways struct{}

func (askAlways) First(policy.Facts, func(string) bool) (policy.Ruling, bool) {
	return policy.Ruling{Decision: mcpproxy.Ask, Rule: "security.policies.always", Reason: "A rule asks."}, true
}

// A call that is repeated has another progress token. The token does not make it another call.
func TestALateApprovalDoesNotDependOnTheProgressToken(t *testing.T) {
	for name, c := range map[string]struct{ method, params string }{
		"a tool":       {"tools/call", `{"name":"echo","arguments":{"text":"a"}`},
		"a resource":   {"resources/read", `{"uri":"note://1"`},
		"a prompt":     {"prompts/get", `{"name":"greet"`},
		"a completion": {"completion/complete", `{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"a"}`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, setup{name: "notes", server: notes()})
			d := approval.New(
				approval.Rules{Wait: time.Millisecond, Expiry: time.Minute, Policy: "p1"},
				func(approval.Event) {},
			)
			t.Cleanup(d.Close)
			s := askingSettings(d, "p1")
			s.Tables.Rules = askAlways{}
			r.gate.Configure(s)
			a := r.stateful("/mcp/s/notes", "2025-11-25", `{}`)
			ask := func(token string) *wire.Message {
				m, _ := a.call("1", c.method, c.params+`,"_meta":{"progressToken":"`+token+`"}}`).response()
				return m
			}
			if m := ask("one"); len(d.Pending()) != 1 {
				t.Fatalf("nobody is asked: %s", m.Raw)
			}
			if err := d.Decide(d.Pending()[0].ID, true, "owner"); err != nil {
				t.Fatal(err)
			}
			if m := ask("two"); len(d.Pending()) != 0 || strings.Contains(string(m.Raw), "security.policies.always") {
				t.Errorf("%d questions are open: %s", len(d.Pending()), m.Raw)
			}
		})
	}
}

// If a question is answered elsewhere, the client is told that it need not ask its user any more.
func TestAnAnswerOfTheOwnerEndsTheClientsQuestion(t *testing.T) {
	r := newRig(t, setup{name: "chat", server: chat()})
	d := r.asking(approval.Rules{Elicitation: true})
	a := r.stateful("/mcp/s/chat", "2025-11-25", canElicit)
	x := a.call("1", "tools/call", post("hello"))
	q := x.next()
	if err := d.Decide(d.Pending()[0].ID, true, "owner"); err != nil {
		t.Fatal(err)
	}
	m, before := x.response()
	if textOf(m) != "you said hello" || len(before) != 1 || before[0].Method != "notifications/cancelled" ||
		string(wire.Member(before[0].Params, "requestId")) != string(q.ID) {
		t.Errorf("%s after %v", m.Raw, before)
	}
}

func TestTheConfigurationAtTheTimeOfTheApprovalCounts(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*rig, *approval.Desk)
		rule   string
	}{
		"the configuration has changed": {func(r *rig, d *approval.Desk) { r.gate.Configure(askingSettings(d, "p2")) }, "security.tool_policy.write"},
		"the kill switch is on":         {func(r *rig, _ *approval.Desk) { r.gate.Kill(true) }, policy.RuleKill},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, setup{name: "chat", server: chat()})
			d := r.asking(approval.Rules{Wait: time.Minute})
			heard := make(chan *wire.Message)
			go func() {
				m, _ := r.stateless("/mcp/s/chat").call("1", "tools/call", post("hello")).response()
				heard <- m
			}()
			r.until("the call waits", func() bool { return len(d.Pending()) == 1 })
			c.change(r, d)
			if err := d.Decide(d.Pending()[0].ID, true, "owner"); err != nil {
				t.Fatal(err)
			}
			if m := <-heard; strings.Contains(textOf(m), "you said") ||
				wire.String(m.Result, "structuredContent", "rule") != c.rule {
				t.Errorf("%s", m.Raw)
			}
		})
	}
}

// While the kill switch is on, no message reaches a server.
func TestTheKillSwitchDeniesEverything(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes()}, setup{name: "chat", server: chat()})
	e := r.hooks()
	a, s := r.stateful("/mcp/s/notes", "2025-11-25", `{}`), r.stateless("/mcp/s/notes")
	r.gate.Kill(true)
	for _, c := range []struct{ method, params string }{{"tools/call", `{"name":"echo","arguments":{"text":"a"}}`}, {"resources/read", `{"uri":"note://1"}`},
		{"prompts/get", `{"name":"greet","arguments":{}}`}, {"tools/list", `{}`}, {"completion/complete", `{}`}, {"any/thing", `{}`}} {
		for name, agent := range map[string]*agent{"stateful": a, "stateless": s} {
			m, _ := agent.call("1", c.method, c.params).response()
			if !strings.Contains(string(m.Raw), "The kill switch is on: every call is denied.") ||
				!strings.Contains(string(m.Raw), policy.RuleKill) {
				t.Errorf("%s, %s: %s", c.method, name, m.Raw)
			}
		}
	}
	if m, _ := r.stateless("/mcp").
		call("1", "tools/call", `{"name":"call_tool_read","arguments":{"name":"notes:echo","args":{}}}`).
		response(); !strings.Contains(
		textOf(m),
		"kill switch",
	) {
		t.Errorf("through call_tool_read: %s", m.Raw)
	}
	if a := r.told(
		e,
		"h",
		"toolu_1",
		"call_tool_read",
		report,
		"",
	); a.Decision != mcpproxy.Deny ||
		!strings.Contains(a.Reason, "kill switch") {
		t.Errorf("a hook hears %+v", a)
	}
	r.gate.Kill(false)
	if m, _ := s.call("1", "tools/call", `{"name":"echo","arguments":{"text":"a"}}`).
		response(); textOf(
		m,
	) != "you said a" {
		t.Errorf("afterwards: %s", m.Raw)
	}
}

// A call that the user has approved in the agent's own prompt passes over MCP without another question.
func TestAnApprovalInTheAgentsOwnPromptCountsOverMCP(t *testing.T) {
	for name, id := range map[string]string{"with an id": "toolu_1", "without": ""} {
		for _, era := range []string{"stateful", "stateless"} {
			t.Run(name+", "+era, func(t *testing.T) {
				r := newRig(t, setup{name: "chat", server: chat()})
				r.asking(approval.Rules{})
				e := r.hooks()
				a := r.stateless("/mcp")
				if era == "stateful" {
					a = r.stateful("/mcp", "2025-11-25", `{}`)
				}
				made := func(id, input string) *mcpproxy.Record {
					meta := ""
					if id != "" {
						meta = fmt.Sprintf(`"claudecode/toolUseId":%q`, id)
					}
					body, headers := a.message(
						"1",
						"tools/call",
						fmt.Sprintf(`{"name":"call_tool_write","arguments":%s,"_meta":{%s}}`, input, meta),
						`{}`,
					)
					before := len(r.recorded())
					a.send(body, headers).response()
					var rec *mcpproxy.Record
					r.until("the call is recorded", func() bool {
						for _, got := range r.recorded()[before:] {
							if got.Type == mcpproxy.RecordToolCall {
								rec = got
							}
						}
						return rec != nil
					})
					return rec
				}
				input := `{"name":"chat:post_message","args":{"text":"hello to everybody"}}`
				if pre := r.told(e, "h", id, "call_tool_write", input, ""); pre.Decision != mcpproxy.Ask {
					t.Fatalf("the hook hears %+v", pre)
				}
				if rec := made(
					id,
					strings.Replace(input, "everybody", "everybodx", 1),
				); rec.Decision == mcpproxy.Allow {
					t.Errorf("one changed byte passes: %+v", rec)
				}
				if rec := made(id, input); rec.Decision != mcpproxy.Allow || rec.Metadata.Approval == "" {
					t.Errorf("the call: %+v", rec)
				}
				// Without an id, a call of a stateless client belongs to no session of the agent.
				linked := id != "" || era == "stateful"
				if rec := made(id, input); linked != (rec.Metadata.Remembered == mcpproxy.RememberedSession) {
					t.Errorf("once more: %+v", rec)
				}
				answered := 0
				for _, rec := range r.recorded() {
					if rec.Type == mcpproxy.RecordApproval && rec.Decision == mcpproxy.Allow {
						answered++
					}
				}
				r.told(e, "h", id, "call_tool_write", input, `[{"type":"text","text":"ok"}]`)
				if answered != 1 {
					t.Errorf("%d approvals are on record", answered)
				}
			})
		}
	}
}

// A call that was refused in the agent's own prompt never arrives. If the agent tries again and the user agrees, the
// answer belongs to the second prompt.
func TestAnAnswerBelongsToTheLastOfEqualPrompts(t *testing.T) {
	r := newRig(t, setup{name: "chat", server: chat()})
	r.asking(approval.Rules{})
	e := r.hooks()
	input := `{"name":"chat:post_message","args":{"text":"hello to everybody"}}`
	refused := r.told(e, "h", "", "call_tool_write", input, "")
	again := r.told(e, "h", "", "call_tool_write", input, "")
	body, headers := r.stateless("/mcp").
		message("1", "tools/call", `{"name":"call_tool_write","arguments":`+input+`}`, `{}`)
	r.stateless("/mcp").send(body, headers).response()
	made := func() *mcpproxy.Record {
		for _, rec := range r.recorded() {
			if rec.Type == mcpproxy.RecordToolCall {
				return rec
			}
		}
		return nil
	}
	r.until("the call is recorded", func() bool { return made() != nil })
	if rec := made(); rec.ParentID != again.ActivityID || rec.ParentID == refused.ActivityID ||
		rec.Metadata.Approval == "" {
		t.Errorf("the call of %s, after %s, is %+v", again.ActivityID, refused.ActivityID, rec)
	}
}
