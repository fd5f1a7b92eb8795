package gateway_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// holding is a filter that holds one tool, one prompt and all instructions.
type holding struct {
	tool, prompt string
	doubted      chan string
}

func (h holding) List(_, kind string, sent []json.RawMessage) []json.RawMessage {
	out := []json.RawMessage{}
	for _, raw := range sent {
		name := wire.String(raw, "name")
		if kind == "tools" && name == h.tool || kind == "prompts" && name == h.prompt {
			continue
		}
		out = append(out, raw)
	}
	return out
}

func (h holding) Instructions(string, string) string  { return "" }
func (h holding) Holds(server, tool string) bool      { return server == "notes" && tool == h.tool }
func (h holding) Ready(context.Context, string) error { return nil }
func (h holding) Doubt(server string)                 { h.doubted <- server }
func (h holding) held(c *mcpproxy.Call) string {
	if c.Kind == mcpproxy.KindTool && c.Tool == h.tool || c.Kind == mcpproxy.KindPrompt && c.Tool == h.prompt {
		return "Nobody has approved " + c.Tool + "."
	}
	return ""
}

// held returns a rig in front of the server notes, whose tool echo and prompt greet are held.
func held(t *testing.T) (*rig, holding) {
	t.Helper()
	h := holding{"echo", "greet", make(chan string, 100)}
	r := newRigWith(t, h, setup{name: "notes", server: notes()})
	s := settings(tables())
	s.Held = h.held
	r.gate.Configure(s)
	r.catalog.Set("notes", h.List("notes", "tools", raws(r)))
	return r, h
}

func raws(r *rig) (out []json.RawMessage) {
	for _, t := range r.catalog.Of("notes") {
		out = append(out, t.Raw)
	}
	return out
}

// A request for a held tool gets the same answer at every endpoint and in both eras: the denial, the rule, and the id
// of the record.
func TestAHeldToolIsRefusedAtEveryEndpoint(t *testing.T) {
	r, _ := held(t)
	var ids []string
	for _, era := range []string{"stateful", "stateless"} {
		for _, c := range []struct{ path, params string }{
			{"/mcp", `{"name":"call_tool_read","arguments":{"name":"notes:echo","args":{}}}`},
			{"/mcp", `{"name":"call_tool_write","arguments":{"name":"notes:echo","args_json":"{}"}}`},
			{"/mcp", `{"name":"call_tool_destructive","arguments":{"name":"notes:echo"}}`},
			{"/mcp", `{"name":"describe_tool","arguments":{"name":"notes:echo"}}`},
			{"/mcp", `{"name":"notes:echo","arguments":{}}`},
			{"/mcp/all", `{"name":"notes__echo","arguments":{}}`},
			{"/mcp/s/notes", `{"name":"echo","arguments":{}}`},
		} {
			a := r.stateless(c.path)
			if era == "stateful" {
				a = r.stateful(c.path, "2025-06-18", `{}`)
			}
			m, _ := a.call("1", "tools/call", c.params).response()
			if got := wire.String(m.Result, "structuredContent", "rule"); got != "security.tool_quarantine" ||
				wire.String(
					m.Result,
					"structuredContent",
					"decision",
				) != "deny" || !strings.Contains(textOf(m), "Nobody has approved echo.") {
				t.Errorf("%s %s %s: %s", era, c.path, c.params, m.Raw)
			}
			ids = append(ids, wire.String(m.Result, "structuredContent", "activity_id"))
		}
	}
	recorded := map[string]bool{}
	for _, rec := range r.recorded() {
		if rec.Rule == "security.tool_quarantine" && rec.Status == mcpproxy.StatusBlocked {
			recorded[rec.ID] = true
		}
	}
	for _, id := range ids {
		if !recorded[id] {
			t.Errorf("the refusal %q is not on record", id)
		}
	}
}

func TestAHeldDefinitionIsInNoList(t *testing.T) {
	r, _ := held(t)
	for _, path := range []string{"/mcp", "/mcp/all", "/mcp/s/notes"} {
		for era, a := range map[string]*agent{"stateful": r.stateful(path, "2025-06-18", `{}`), "stateless": r.stateless(path)} {
			m, _ := a.call("1", "tools/list", `{}`).response()
			if strings.Contains(string(m.Raw), "Says it again") ||
				path != "/mcp" && !strings.Contains(string(m.Result), "get_report") {
				t.Errorf("%s %s lists %s", era, path, m.Raw)
			}
		}
	}
	a := r.stateless("/mcp")
	m, _ := a.call("1", "tools/call", `{"name":"retrieve_tools","arguments":{"query":"echo says it again"}}`).response()
	if strings.Contains(textOf(m), "notes:echo") {
		t.Errorf("it is found: %s", m.Raw)
	}
	one := r.stateless("/mcp/s/notes")
	m, _ = one.call("1", "prompts/list", `{}`).response()
	if m.Result == nil || strings.Contains(string(m.Result), "greet") {
		t.Errorf("prompts: %s", m.Raw)
	}
	m, _ = one.call("1", "prompts/get", `{"name":"greet"}`).response()
	if wire.String(m.Error, "data", "rule") != "security.tool_quarantine" {
		t.Errorf("a prompt that is held: %s", m.Raw)
	}
	m, _ = one.call("1", "server/discover", `{}`).response()
	if m.Result == nil || strings.Contains(string(m.Result), "Notes of the house") {
		t.Errorf("the greeting: %s", m.Raw)
	}
}

// Shows: RFC-15.
func TestACalledServerIsReadAgain(t *testing.T) {
	r, h := held(t)
	a := r.stateless("/mcp/s/notes")
	a.call("1", "tools/list", `{}`).response()
	if len(h.doubted) != 0 {
		t.Error("a list raises doubt")
	}
	a.call("2", "tools/call", `{"name":"get_report","arguments":{}}`).response()
	a.call("3", "tools/call", `{"name":"get_report","arguments":{"text":7}}`).response()
	a.call("4", "tools/call", `{"name":"no_such_tool","arguments":{}}`).response()
	if len(h.doubted) != 3 || <-h.doubted != "notes" {
		t.Errorf("%d doubts", len(h.doubted))
	}
}

// late is a filter that knows a server's tools only after a caller has waited for them.
type late struct {
	holding
	read func()
}

func (l late) Ready(context.Context, string) error {
	l.read()
	return nil
}

// The first call after the start waits until the definitions of its server have been read.
func TestACallBeforeTheFirstReadingWaitsForIt(t *testing.T) {
	var r *rig
	var known []json.RawMessage
	l := late{holding{"", "", make(chan string, 100)}, func() { r.catalog.Set("notes", known) }}
	r = newRigWith(t, l, setup{name: "notes", server: notes()})
	known = raws(r)
	for entrance, params := range map[string]string{
		"/mcp":     `{"name":"call_tool_read","arguments":{"name":"notes:echo","args":{"text":"a"}}}`,
		"/mcp/all": `{"name":"notes__echo","arguments":{"text":"a"}}`,
	} {
		r.catalog.Drop("notes")
		m, _ := r.stateless(entrance).call("1", "tools/call", params).response()
		if textOf(m) != "you said a" {
			t.Errorf("%s: %s", entrance, m.Raw)
		}
	}
}

func TestACallWaitsForAServerThatIsStarting(t *testing.T) {
	var r *rig
	l := late{holding{"", "", make(chan string, 100)}, func() {
		eventually.Within(patience, func() bool { return len(r.catalog.Of("notes")) > 0 })
	}}
	r = newRigWith(t, l)
	started, served := make(chan struct{}), setup{name: "notes", server: notes()}.serve()
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		<-started
		served.ServeHTTP(w, req)
	}))
	r.servers.Apply([]upstream.Spec{{
		Name:     "notes",
		Enabled:  true,
		Protocol: upstream.HTTP,
		URL:      back.URL,
	}})
	t.Cleanup(func() {
		r.servers.Apply(nil)
		back.CloseClientConnections()
		back.Close()
	})
	time.AfterFunc(300*time.Millisecond, func() { close(started) })
	m, _ := r.stateless("/mcp/all").call("1", "tools/call", `{"name":"notes__echo","arguments":{"text":"a"}}`).response()
	if textOf(m) != "you said a" {
		t.Errorf("%s", m.Raw)
	}
}

// unreadable is a filter that cannot read the definitions of servers.
type unreadable struct{ holding }

func (unreadable) Ready(_ context.Context, server string) error {
	return mcpproxy.Errorf(mcpproxy.CodeTimeout, nil, "the definitions of server %q could not be read", server)
}

func TestACallOfAnUnreadableServerGetsTheReason(t *testing.T) {
	r := newRigWith(t, unreadable{holding{"", "", make(chan string, 100)}}, setup{name: "notes", server: notes()})
	for entrance, params := range map[string]string{
		"/mcp":     `{"name":"call_tool_read","arguments":{"name":"notes:echo","args":{"text":"a"}}}`,
		"/mcp/all": `{"name":"notes__echo","arguments":{"text":"a"}}`,
	} {
		r.catalog.Drop("notes")
		m, _ := r.stateless(entrance).call("1", "tools/call", params).response()
		const want = `cannot be called yet: the definitions of server "notes" could not be read.`
		if !strings.Contains(textOf(m), want) || !strings.Contains(string(m.Raw), string(mcpproxy.CodeToolNotFound)) {
			t.Errorf("%s: %s", entrance, m.Raw)
		}
	}
}

// watching is a filter that reports the lists of tools that it gets.
type watching struct {
	holding
	seen chan int
}

func (w watching) List(server, kind string, sent []json.RawMessage) []json.RawMessage {
	if server == "notes" && kind == "tools" {
		w.seen <- len(sent)
	}
	return sent
}

// A server with one process per session may have other tools in each session, so the tools are listed on the link of
// the call.
// Shows: RFC-15.
func TestTheToolsOfASessionsOwnServerAreListedAfterACall(t *testing.T) {
	w := watching{holding{"", "", make(chan string, 100)}, make(chan int, 100)}
	r := newRigWith(t, w, setup{name: "notes", server: notes()})
	known := len(r.catalog.Of("notes"))
	a := r.stateful("/mcp", "2025-06-18", `{}`)
	a.call("1", "tools/call", `{"name":"call_tool_read","arguments":{"name":"notes:echo","args":{"text":"a"}}}`).response()
	if n := <-w.seen; n != known || n == 0 {
		t.Errorf("%d of %d tools were shown", n, known)
	}
}
