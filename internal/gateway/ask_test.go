package gateway_test

import (
	"strings"
	"testing"

	"mcpproxy/internal/wire"
)

const (
	canElicit  = `{"elicitation":{}}`
	confirm    = `{"name":"confirm","arguments":{"text":"go"}}`
	accepted   = `{"action":"accept","content":{"colour":"blue"}}`
	acceptedBy = `{"mcpproxy":` + accepted + `}`
)

// suspend makes a call whose server asks a question first, and returns the state with which the call is resumed.
func suspend(t *testing.T, a *agent, params, capabilities string) (state string) {
	t.Helper()
	m, _ := a.callAs("1", "tools/call", params, capabilities).response()
	if wire.String(m.Result, "resultType") != "input_required" {
		t.Fatalf("the client is not asked: %s", m.Raw)
	}
	if method := wire.String(m.Result, "inputRequests", "mcpproxy", "method"); method != "elicitation/create" {
		t.Errorf("the client is asked for %q", method)
	}
	if text := wire.String(m.Result, "inputRequests", "mcpproxy", "params", "message"); text != "Really go?" {
		t.Errorf("the question is %q", text)
	}
	return wire.String(m.Result, "requestState")
}

// again returns the retry of a suspended call.
func again(params, state, responses string) string {
	p := wire.Set([]byte(params), wire.Quote(state), "requestState")
	if responses != "" {
		p = wire.Set(p, []byte(responses), "inputResponses")
	}
	return string(p)
}

func TestAStatefulServersQuestionReachesAStatelessClient(t *testing.T) {
	r := newRig(t, setup{name: "asker", server: asker()})
	a := r.stateless("/mcp/s/asker")
	state := suspend(t, a, confirm, canElicit)
	m, _ := a.callAs("2", "tools/call", again(confirm, state, acceptedBy), canElicit).response()
	if textOf(m) != "accept blue" || string(m.ID) != "2" || wire.String(m.Result, "resultType") != "complete" {
		t.Errorf("taken up again: %s", m.Raw)
	}
	m, _ = a.callAs("3", "tools/call", again(confirm, state, acceptedBy), canElicit).response()
	if wire.Code(m) != wire.CodeInvalidParams {
		t.Errorf("a state serves twice: %s", m.Raw)
	}
}

// A state resumes only the request that it was made for.
func TestAStateResumesOnlyItsOwnRequest(t *testing.T) {
	r := newRig(t, setup{name: "asker", server: asker()}, setup{name: "second", server: asker()})
	flip := func(s string) string {
		last := s[len(s)-1]
		if last == 'A' {
			return s[:len(s)-1] + "B"
		}
		return s[:len(s)-1] + "A"
	}
	for name, c := range map[string]struct {
		path   string
		params string
		change func(string) string
	}{
		"with other arguments":   {"/mcp/s/asker", `{"name":"confirm","arguments":{"text":"stop"}}`, nil},
		"for another tool":       {"/mcp/s/asker", `{"name":"think","arguments":{"text":"go"}}`, nil},
		"at another server":      {"/mcp/s/second", confirm, nil},
		"a changed one":          {"/mcp/s/asker", confirm, flip},
		"one that was made up":   {"/mcp/s/asker", confirm, func(string) string { return "mcpproxy:AAAAAAAAAAAAAAAAAAAAAAAAAA" }},
		"its prefix alone":       {"/mcp/s/asker", confirm, func(string) string { return "mcpproxy:x" }},
		"arguments spelt anew":   {"/mcp/s/asker", `{"name":"confirm","arguments":{"text": "go "}}`, nil},
		"with a bigger argument": {"/mcp/s/asker", `{"name":"confirm","arguments":{"text":"go","more":1}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			state := suspend(t, r.stateless("/mcp/s/asker"), confirm, canElicit)
			used := state
			if c.change != nil {
				used = c.change(state)
			}
			m, _ := r.stateless(c.path).
				callAs("2", "tools/call", again(c.params, used, acceptedBy), canElicit).
				response()
			if wire.Code(m) != wire.CodeInvalidParams || strings.Contains(string(m.Raw), "accept") {
				t.Errorf("not refused: %s", m.Raw)
			}
			m, _ = r.stateless("/mcp/s/asker").
				callAs("3", "tools/call", again(confirm, state, acceptedBy), canElicit).
				response()
			if textOf(m) != "accept blue" {
				t.Errorf("after the failed try the right one is lost: %s", m.Raw)
			}
		})
	}
}

func TestARetryWithoutAnAnswerIsAskedAgain(t *testing.T) {
	r := newRig(t, setup{name: "asker", server: asker()})
	a := r.stateless("/mcp/s/asker")
	state := suspend(t, a, confirm, canElicit)
	m, _ := a.callAs("2", "tools/call", again(confirm, state, ""), canElicit).response()
	next := wire.String(m.Result, "requestState")
	if wire.String(m.Result, "resultType") != "input_required" || next == "" || next == state {
		t.Fatalf("not asked again: %s", m.Raw)
	}
	m, _ = a.callAs("3", "tools/call", again(confirm, next, `{"mcpproxy":{"action":"decline"}}`), canElicit).response()
	if !strings.HasPrefix(textOf(m), "decline") {
		t.Errorf("the server hears %s", m.Raw)
	}
}

// A client that has not declared the elicitation capability is not asked.
func TestAClientWithoutTheCapabilityIsNotAsked(t *testing.T) {
	r := newRig(t, setup{name: "asker", server: asker()})
	for name, a := range map[string]*agent{"stateless": r.stateless("/mcp/s/asker"), "stateful": r.stateful("/mcp/s/asker", "2025-11-25", `{}`),
		"stateless, all tools": r.stateless("/mcp/all")} {
		t.Run(name, func(t *testing.T) {
			params := confirm
			if strings.HasSuffix(a.url, "all") {
				params = `{"name":"asker__confirm","arguments":{"text":"go"}}`
			}
			m, before := a.call("1", "tools/call", params).response()
			if len(before) > 0 || !strings.Contains(textOf(m), "could not ask") {
				t.Errorf("got %s", m.Raw)
			}
		})
	}
}

func TestAStatefulServersQuestionReachesAStatefulClient(t *testing.T) {
	r := newRig(t, setup{name: "asker", server: asker()})
	for name, c := range map[string]struct{ params, method, answer, want string }{
		"elicitation": {confirm, "elicitation/create", accepted, "accept blue"},
		"sampling": {`{"name":"think","arguments":{"text":"of a number"}}`, "sampling/createMessage",
			`{"role":"assistant","model":"m","content":{"type":"text","text":"seven"}}`, "thought of seven"},
	} {
		t.Run(name, func(t *testing.T) {
			a := r.stateful("/mcp/s/asker", "2025-11-25", `{"elicitation":{},"sampling":{}}`)
			x := a.call("1", "tools/call", c.params)
			q := x.next()
			if q == nil || q.Method != c.method || q.ID == nil {
				t.Fatalf("the client is asked %v", q)
			}
			sent := a.send(`{"jsonrpc":"2.0","id":`+string(q.ID)+`,"result":`+c.answer+`}`, nil)
			if sent.resp.StatusCode != 202 {
				t.Fatalf("the answer: %s", sent.resp.Status)
			}
			if m, _ := x.response(); textOf(m) != c.want {
				t.Errorf("the server makes of it: %s", m.Raw)
			}
		})
	}
}

func TestAStatelessServersQuestionReachesAStatefulClient(t *testing.T) {
	r := newRig(t, setup{name: "modern", server: modernAsker(), modern: true})
	a := r.stateful("/mcp/s/modern", "2025-11-25", canElicit)
	x := a.call("1", "tools/call", confirm)
	q := x.next()
	if q == nil || q.Method != "elicitation/create" || wire.String(q.Params, "message") != "Really go?" {
		t.Fatalf("the client is asked %v", q)
	}
	a.send(`{"jsonrpc":"2.0","id":`+string(q.ID)+`,"result":{"action":"accept","content":{}}}`, nil)
	if m, _ := x.response(); textOf(m) != "accept state-of-go" {
		t.Errorf("the server makes of it: %s", m.Raw)
	}
}

func TestAnInvalidQuestionDoesNotReachTheClient(t *testing.T) {
	for name, garbles := range map[string][2]string{
		"a method without a name":       {`"method":"elicitation/create"`, `"method":""`},
		"parameters that are no object": {`"params":`, `"params":7,"x":`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, setup{
				name:    "modern",
				server:  modernAsker(),
				modern:  true,
				garbles: garbles,
			})
			a := r.stateful("/mcp/s/modern", "2025-11-25", canElicit)
			m, before := a.call("1", "tools/call", confirm).response()
			if len(before) > 0 || !strings.Contains(string(m.Raw), "in a form that is not valid") {
				t.Errorf("after %d other messages the client gets %s", len(before), m.Raw)
			}
		})
	}
}

// Between a client and a server of the stateless era, the server's own state is passed on unchanged.
func TestAStatelessServersQuestionReachesAStatelessClient(t *testing.T) {
	r := newRig(t, setup{name: "modern", server: modernAsker(), modern: true})
	a := r.stateless("/mcp/s/modern")
	m, _ := a.callAs("1", "tools/call", confirm, canElicit).response()
	if wire.String(m.Result, "resultType") != "input_required" ||
		wire.String(m.Result, "requestState") != "state-of-go" {
		t.Fatalf("got %s", m.Raw)
	}
	m, _ = a.callAs("2", "tools/call", again(confirm, "state-of-go", `{"sure":{"action":"accept"}}`), canElicit).
		response()
	if textOf(m) != "accept state-of-go" {
		t.Errorf("got %s", m.Raw)
	}
	through := `{"name":"call_tool_read","arguments":{"name":"modern:confirm","args":{"text":"go"}}}`
	f := r.stateless("/mcp")
	m, _ = f.callAs("3", "tools/call", again(through, "state-of-go", `{"sure":{"action":"accept"}}`), canElicit).
		response()
	if textOf(m) != "accept state-of-go" {
		t.Errorf("through call_tool_read: %s", m.Raw)
	}
}

// A client's answer goes to the server. It is data that leaves, so it passes the gate.
func TestAnAnswerPassesTheGate(t *testing.T) {
	r := newRig(t, setup{name: "vault", server: vault()}, setup{name: "chat", server: asker()})
	r.stateless("/mcp/s/vault").call("1", "tools/call", `{"name":"read_secret","arguments":{}}`).response()
	leak := `{"action":"accept","content":{"colour":"` + secret + `"}}`

	stateless := r.stateless("/mcp/s/chat")
	state := suspend(t, stateless, confirm, canElicit)
	m, _ := stateless.callAs("2", "tools/call", again(confirm, state, `{"mcpproxy":`+leak+`}`), canElicit).response()
	if strings.Contains(string(m.Raw), secret) {
		t.Errorf("the secret went out, and came back: %s", m.Raw)
	}
	stateful := r.stateful("/mcp/s/chat", "2025-11-25", canElicit)
	x := stateful.call("1", "tools/call", confirm)
	q := x.next()
	stateful.send(`{"jsonrpc":"2.0","id":`+string(q.ID)+`,"result":`+leak+`}`, nil)
	if m, _ := x.response(); strings.Contains(string(m.Raw), secret) {
		t.Errorf("the secret went out of a session, and came back: %s", m.Raw)
	}
	blocked := 0
	for _, rec := range r.recorded() {
		if rec.Decision == "deny" && rec.ToolName == "elicitation/create" {
			blocked++
		}
	}
	if blocked != 2 {
		t.Errorf("%d blocked answers are on record, want 2", blocked)
	}
}
