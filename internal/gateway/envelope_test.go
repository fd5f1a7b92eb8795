package gateway_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/gateway"
	"mcpproxy/internal/wire"
)

// arrivals records the bodies and headers of all requests that reached a server over HTTP.
type arrivals struct {
	mu  sync.Mutex
	all strings.Builder
}

// watching records each request before h serves it.
func (a *arrivals) watching(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		a.mu.Lock()
		_ = r.Header.Write(&a.all)
		a.all.Write(body)
		a.mu.Unlock()
		h.ServeHTTP(w, r)
	})
}

// hold reports whether a text has arrived.
func (a *arrivals) hold(text string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Contains(a.all.String(), text)
}

// A client can choose any name for a method, as it can for an argument. An endpoint of one server would pass the name
// on.
func TestTheNameOfAMethodIsInspectedLikeAnArgument(t *testing.T) {
	arrived := &arrivals{}
	r := newRig(t, setup{name: "vault", server: vault()}, setup{name: "chat", server: chat(), arrivals: arrived})
	a := r.stateful("/mcp/s/chat", "2025-11-25", `{}`)
	other := r.stateful("/mcp/s/vault", "2025-11-25", `{}`)
	other.call("1", "tools/call", `{"name":"read_secret","arguments":{}}`).response()

	m, _ := a.call("2", "x/"+secret, `{}`).response()
	if wire.Code(m) != wire.CodeDenied {
		t.Errorf("a method that holds a secret was answered with %s", m.Raw)
	}
	if arrived.hold(secret) {
		t.Error("the secret has arrived")
	}
	stopped := r.recorded()[len(r.recorded())-1]
	if stopped.Decision != mcpproxy.Deny || strings.Contains(stopped.ToolName, secret) {
		t.Errorf("the record says %s of %q", stopped.Decision, stopped.ToolName)
	}

	a.call("3", "x/harmless", `{}`).response()
	if !slices.ContainsFunc(r.recorded(), func(rec *mcpproxy.Record) bool { return rec.ToolName == "x/harmless" }) {
		t.Error("a method that MCP does not define leaves no record")
	}
	if !arrived.hold("x/harmless") {
		t.Error("a harmless method was not passed on")
	}
}

func TestContentBesideAMessageIsRefused(t *testing.T) {
	arrived := &arrivals{}
	r := newRig(t, setup{name: "chat", server: chat(), arrivals: arrived})
	a := r.stateful("/mcp/s/chat", "2025-11-25", `{}`)
	const smuggled = "c211Z2dsZWQtb3V0LW9m"
	for name, body := range map[string]string{
		"a method with a blank":     `{"jsonrpc":"2.0","id":1,"method":"x/` + smuggled + ` y","params":{}}`,
		"a method that is too long": `{"jsonrpc":"2.0","id":1,"method":"x/` + smuggled + strings.Repeat("y", 128) + `","params":{}}`,
		"an id that is too long":    `{"jsonrpc":"2.0","id":"` + smuggled + strings.Repeat("y", 300) + `","method":"tools/list"}`,
	} {
		t.Run(name, func(t *testing.T) {
			x := a.send(body, nil)
			m, _ := x.response()
			if x.resp.StatusCode != http.StatusBadRequest || wire.Code(m) != wire.CodeInvalidRequest {
				t.Errorf("answered with %s: %s", x.resp.Status, m.Raw)
			}
			if arrived.hold(smuggled) {
				t.Error("it has arrived")
			}
		})
	}
}

func TestAMemberUnknownToJSONRPCIsNotForwarded(t *testing.T) {
	arrived := &arrivals{}
	r := newRig(t, setup{name: "chat", server: chat(), arrivals: arrived})
	a := r.stateful("/mcp/s/chat", "2025-11-25", `{}`)
	const smuggled = "c211Z2dsZWQtb3V0LW9m"
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"note":"` + smuggled + `","method":"tools/list","params":{}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":` + post("hello") + `,"note":["` + smuggled + `"]}`,
	} {
		if m, _ := a.send(body, nil).response(); m.Error != nil {
			t.Errorf("answered with %s", m.Raw)
		}
	}
	if arrived.hold(smuggled) || !arrived.hold("hello") {
		t.Error("the member has arrived, or the call has not")
	}
}

// Headers and _meta could carry a client's data out, 24 bytes a call in traceparent alone. A server only gets headers
// that this proxy writes.
func TestTraceAndHeadersOfAClientDoNotReachAServer(t *testing.T) {
	const parent, state = "6b65792d6f662d7468652d7661756c74-736d7567676c6564", "v=c211Z2dsZWQ"
	for name, s := range map[string]setup{
		"a server of the stateful era":       {name: "chat", server: chat()},
		"a server of the stateless revision": {name: "chat", server: chat(), modern: true},
	} {
		for exported, trace := range map[string]bool{"spans are exported": true, "no spans are exported": false} {
			t.Run(name+", "+exported, func(t *testing.T) {
				arrived := &arrivals{}
				s.arrivals = arrived
				r := newRig(t, s)
				r.gateway.Configure(gateway.Options{APIKey: "key", Trace: trace})
				for _, a := range []*agent{r.stateless("/mcp/s/chat"), r.stateful("/mcp/s/chat", "2025-11-25", `{}`)} {
					for _, method := range []string{"tools/call", "tools/list", "x/other"} {
						body, header := a.message("1", method, `{"name":"post_message","arguments":{"text":"hello"},`+
							`"_meta":{"note":"kept","traceparent":"00-`+parent+`-01","tracestate":"`+state+`","baggage":"`+state+`"}}`, `{}`)
						if header == nil {
							header = map[string]string{}
						}
						header["Mcp-Param-Note"] = state
						header["Traceparent"] = "00-" + parent + "-01"
						header["Tracestate"], header["Baggage"] = state, state
						a.send(body, header).response()
					}
				}
				for _, text := range []string{parent[:32], parent[33:], "c211Z2dsZWQ"} {
					if arrived.hold(text) {
						t.Errorf("%s has arrived", text)
					}
				}
				if !arrived.hold(`"note":"kept"`) || !arrived.hold("hello") {
					t.Error("the rest of the message did not arrive")
				}
				if arrived.hold("Traceparent") != trace {
					t.Errorf("the server was told of a trace: %v", !trace)
				}
			})
		}
	}
}

// The gateway keeps an initialize request, and sends it again when the connection to the server was lost.
func TestTheTraceOfAnInitializeDoesNotReachAServer(t *testing.T) {
	arrived := &arrivals{}
	r := newRig(t, setup{name: "chat", server: chat(), arrivals: arrived})
	a := &agent{t: t, url: r.url + "/mcp/s/chat"}
	a.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},`+
		`"clientInfo":{"name":"greeter","version":"1"},"_meta":{"baggage":"v=c211Z2dsZWQ"}}}`, nil).response()
	if !arrived.hold("greeter") || arrived.hold("c211Z2dsZWQ") {
		t.Error("the greeting did not arrive, or its baggage did")
	}
}
