package gateway_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gateway"
	"mcpproxy/internal/token"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// actor stands in for code mode. A script is the name of a tool of the server notes, which it calls.
type actor struct {
	g    *gate.Gate
	send func(context.Context, *mcpproxy.Call) *mcpproxy.Result
}

func (a *actor) Tools() []json.RawMessage {
	return []json.RawMessage{json.RawMessage(`{"name":"search"}`), json.RawMessage(`{"name":"execute"}`)}
}

func (a *actor) Search(_ []byte, may func(*mcpproxy.Tool) bool) (string, error) {
	var out []string
	for _, name := range []string{"notes:echo", "notes:get_report", "chat:post_message"} {
		server, tool, _ := strings.Cut(name, ":")
		if may(&mcpproxy.Tool{Server: server, Name: tool}) {
			out = append(out, name)
		}
	}
	return strings.Join(out, " "), nil
}

func (a *actor) Execute(ctx context.Context, call *mcpproxy.Call, user gate.User) (*mcpproxy.Result, mcpproxy.Verdict) {
	call.Kind, call.Channel = mcpproxy.KindScript, mcpproxy.ChannelCode
	return a.g.Forward(ctx, gate.Request{Call: call, Caller: gate.Caller{User: user}}, func(ctx context.Context, call *mcpproxy.Call) *mcpproxy.Result {
		server, tool, _ := strings.Cut(wire.String(call.Arguments, "code"), ":")
		inner := &mcpproxy.Call{
			Kind:        mcpproxy.KindTool,
			Channel:     mcpproxy.ChannelCode,
			Principal:   call.Principal,
			Session:     call.Session,
			FlowSession: call.FlowSession,
			ParentID:    call.ID,
			Server:      server,
			Tool:        tool,
			Arguments:   json.RawMessage(`{"text":"x"}`),
		}
		if result, v := a.g.Forward(ctx, gate.Request{Call: inner}, a.send); result == nil {
			return &mcpproxy.Result{
				Raw: wire.MustJSON(
					map[string]any{"isError": true, "content": []map[string]string{{"type": "text", "text": v.Reason}}},
				),
			}
		} else {
			return result
		}
	})
}

// A token for some servers can run scripts. Their calls are limited to these servers, too.
func TestScriptsAreLimitedToTheServersOfTheirToken(t *testing.T) {
	k := newKeyed(t, true)
	k.gateway.UseScripts(&actor{g: k.gate, send: k.gateway.Send})
	for name, c := range map[string]struct {
		scope token.Scope
		shown string
		may   map[string]bool
	}{
		"everything": {token.Scope{}, "notes:echo notes:get_report chat:post_message", map[string]bool{"notes:echo": true, "chat:post_message": true}},
		"a-server":   {token.Scope{Servers: []string{"notes"}}, "notes:echo notes:get_report", map[string]bool{"notes:echo": true, "chat:post_message": false}},
		"a-tool":     {token.Scope{Tools: []string{"notes:echo"}}, "notes:echo", map[string]bool{"notes:echo": true, "notes:get_report": false}},
		"writing":    {token.Scope{Operations: []mcpproxy.Operation{mcpproxy.Write}}, "chat:post_message", map[string]bool{"notes:get_report": false, "chat:post_message": true}},
	} {
		for era, a := range k.as(k.token(name, c.scope), "/mcp") {
			if m, _ := a.call("1", "tools/list", `{}`).
				response(); !strings.Contains(
				strings.Join(listed(m, "tools", "name"), " "),
				"execute",
			) {
				t.Errorf("%s, %s: execute is not offered", name, era)
			}
			m, _ := a.call("2", "tools/call", `{"name":"search","arguments":{"limit":200}}`).response()
			if textOf(m) != c.shown {
				t.Errorf("%s, %s: search shows %q", name, era, textOf(m))
			}
			for tool, may := range c.may {
				m, _ = a.call("3", "tools/call", `{"name":"execute","arguments":{"code":"`+tool+`"}}`).response()
				if said := textOf(m); (said == "you said x") != may || !may && !strings.Contains(said, "is not for") {
					t.Errorf("%s, %s: a script that calls %s answers %s", name, era, tool, m.Raw)
				}
			}
		}
	}
}

// A call of a script is sent like any other call: the server gets its trace, and the call is repeated if the
// connection breaks and a repetition is harmless.
func TestACallOfAScriptIsSentLikeAnyOther(t *testing.T) {
	r := newRig(t)
	var mu sync.Mutex
	var traces []string
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		raw, _ := io.ReadAll(req.Body)
		m, err := wire.Parse(raw)
		if err != nil { // requests for a stream or an end of the session, which this server does not support
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		switch {
		case m.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		case m.Method == "initialize":
			_, _ = w.Write(
				wire.NewResult(
					m.ID,
					[]byte(
						`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`,
					),
				).Raw,
			)
		case m.Method == "tools/list":
			_, _ = w.Write(
				wire.NewResult(
					m.ID,
					[]byte(
						`{"tools":[{"name":"get_thing","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}]}`,
					),
				).Raw,
			)
		case m.Method == "tools/call":
			mu.Lock()
			traces = append(traces, req.Header.Get("Traceparent"))
			first := len(traces) == 1
			mu.Unlock()
			if first {
				panic(http.ErrAbortHandler) // the connection breaks
			}
			_, _ = w.Write(wire.NewResult(m.ID, []byte(`{"content":[{"type":"text","text":"done"}]}`)).Raw)
		default:
			_, _ = w.Write(wire.NewError(m.ID, &wire.RPCError{Code: wire.CodeMethodNotFound, Message: "unknown"}).Raw)
		}
	}))
	t.Cleanup(func() { back.CloseClientConnections(); back.Close() })
	r.servers.Apply([]upstream.Spec{{
		Name:     "frail",
		Enabled:  true,
		Protocol: upstream.HTTP,
		URL:      back.URL,
	}})
	r.until("its tool is listed", func() bool { return len(r.catalog.Of("frail")) == 1 })
	r.gateway.Configure(gateway.Options{APIKey: "key", Trace: true})
	def, _ := r.catalog.Tool("frail", "get_thing")
	call := &mcpproxy.Call{
		Kind:        mcpproxy.KindTool,
		Channel:     mcpproxy.ChannelCode,
		Principal:   "local",
		FlowSession: "s",
		Server:      "frail",
		Tool:        "get_thing",
		Arguments:   json.RawMessage(`{}`),
		Definition:  def,
	}
	result, v := r.gate.Forward(t.Context(), gate.Request{Call: call}, r.gateway.Send)
	if result == nil || result.Err != nil {
		t.Fatalf("%+v %+v", result, v)
	}
	if len(traces) != 2 || traces[1] == "" || traces[1] != call.Trace.Upstream().Traceparent() {
		t.Errorf("the server heard of the traces %q", traces)
	}
}
