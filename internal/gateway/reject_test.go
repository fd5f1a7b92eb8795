package gateway_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// rejections returns the records of calls that were refused.
func (r *rig) rejections() (out []*mcpproxy.Record) {
	for _, rec := range r.recorded() {
		if rec.Status == mcpproxy.StatusRejected {
			out = append(out, rec)
		}
	}
	return out
}

// Every call leaves a record, even if it is refused before the gate has seen it.
func TestARefusedCallLeavesARecord(t *testing.T) {
	r := newRig(t, setup{name: "chat", server: chat()})
	for name, c := range map[string]struct {
		path, body   string // if the body is empty, it is a tool call with params
		params       string
		server, tool string
		reason       string
	}{
		"a duplicate key at a server's endpoint": {
			path:   "/mcp/s/chat",
			body:   `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"post_message","arguments":{"text":"a","text":"b"}}}`,
			server: "chat",
			tool:   "post_message",
			reason: "duplicate key",
		},
		"a duplicate key at /mcp": {
			path:   "/mcp",
			body:   `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_tool_write","arguments":{"name":"chat:post_message","name":"x"}}}`,
			server: "chat",
			tool:   "post_message",
			reason: "duplicate key",
		},
		"a duplicate key at /mcp/all": {
			path:   "/mcp/all",
			body:   `{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping","params":{"name":"chat__post_message"}}`,
			server: "chat",
			tool:   "post_message",
			reason: "duplicate key",
		},
		"malformed JSON": {
			path:   "/mcp/all",
			body:   `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"chat__post_message",}}`,
			server: "chat",
			tool:   "post_message",
			reason: "parse error",
		},
		"no JSON at all": {path: "/mcp", body: `hello`, reason: "parse error"},
		"a message that is too large": {
			path:   "/mcp/s/chat",
			body:   `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"post_message","arguments":{"text":"` + strings.Repeat("x", 17<<20) + `"}}}`,
			server: "chat",
			tool:   "post_message",
			reason: "larger than 16 MB",
		},
		"an endpoint of an unknown server": {
			path:   "/mcp/s/nowhere",
			body:   `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"post_message"}}`,
			server: "nowhere",
			tool:   "post_message",
			reason: "no such MCP endpoint",
		},
		"an unknown session": {
			path:   "/mcp/s/chat",
			body:   `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"post_message"}}`,
			server: "chat",
			tool:   "post_message",
			reason: "no Mcp-Session-Id header",
		},
		"a name that is not a string": {
			path:   "/mcp/s/chat",
			params: `{"name":7}`,
			server: "chat",
			reason: "name",
		},
		"arguments that are not an object": {
			path:   "/mcp/s/chat",
			params: `{"name":"post_message","arguments":[1]}`,
			server: "chat",
			tool:   "post_message",
			reason: "arguments must be an object",
		},
		"an unknown tool at /mcp": {
			path:   "/mcp",
			params: `{"name":"fly"}`,
			tool:   "fly",
			reason: `There is no tool "fly"`,
		},
		"an unknown server": {
			path:   "/mcp",
			params: `{"name":"call_tool_read","arguments":{"name":"mars:fly"}}`,
			server: "mars",
			tool:   "fly",
			reason: `There is no tool "mars:fly"`,
		},
		"an unknown tool of /all": {
			path:   "/mcp/all",
			params: `{"name":"chat__fly"}`,
			server: "chat",
			tool:   "fly",
			reason: `There is no tool "chat__fly"`,
		},
		"args and args_json": {
			path:   "/mcp",
			params: `{"name":"call_tool_write","arguments":{"name":"chat:post_message","args":{},"args_json":"{}"}}`,
			server: "chat",
			tool:   "post_message",
			reason: "either args or args_json",
		},
		"a member that call_tool_* do not have": {
			path:   "/mcp",
			params: `{"name":"call_tool_write","arguments":{"name":"chat:post_message","args":{},"flow_justifcation":"x"}}`,
			server: "chat",
			tool:   "post_message",
			reason: `call_tool_* have no member "flow_justifcation"`,
		},
		"an unknown data sensitivity": {
			path:   "/mcp",
			params: `{"name":"call_tool_write","arguments":{"name":"chat:post_message","args":{},"intent_data_sensitivity":"banana"}}`,
			server: "chat",
			tool:   "post_message",
			reason: "intent_data_sensitivity must be one of",
		},
		"invalid args_json": {
			path:   "/mcp",
			params: `{"name":"call_tool_write","arguments":{"name":"chat:post_message","args_json":"{"}}`,
			server: "chat",
			tool:   "post_message",
			reason: "args_json",
		},
		"no tool named": {
			path:   "/mcp",
			params: `{"name":"call_tool_write","arguments":{}}`,
			tool:   "call_tool_write",
			reason: "needs the name of a tool",
		},
		"an unknown member for the intent": {
			path:   "/mcp",
			params: `{"name":"call_tool_destroy","arguments":{"name":"chat:post_message"}}`,
			server: "chat",
			tool:   "post_message",
			reason: `There is no tool "call_tool_destroy"`,
		},
		"a resource without a URI": {
			path:   "/mcp/s/chat",
			params: `resources/read`,
			server: "chat",
			reason: "uri",
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(r.rejections())
			switch {
			case c.body != "":
				a := &agent{t: t, url: r.url + c.path}
				if x := a.send(c.body, nil); x.resp.StatusCode < 400 {
					t.Fatalf("it was answered %s", x.resp.Status)
				}
			case c.params == "resources/read":
				r.stateful(c.path, "2025-11-25", `{}`).call("1", "resources/read", `{}`).response()
			default:
				m, _ := r.stateful(c.path, "2025-11-25", `{}`).call("1", "tools/call", c.params).response()
				if m.Error == nil && string(wire.Member(m.Result, "isError")) != "true" {
					t.Fatalf("it was answered %s", m.Raw)
				}
			}
			all := r.rejections()[before:]
			if len(all) != 1 {
				t.Fatalf("%d records", len(all))
			}
			rec := all[0]
			if rec.ServerName != c.server || rec.ToolName != c.tool || rec.Principal != "local" ||
				!strings.Contains(rec.ErrorMessage, c.reason) {
				t.Errorf(
					"the record is about %q %q of %q: %q",
					rec.ServerName,
					rec.ToolName,
					rec.Principal,
					rec.ErrorMessage,
				)
			}
			if c.body == "" && (rec.SessionID == "" || rec.RequestID != "1") {
				t.Errorf("the record has the session %q and the request %q", rec.SessionID, rec.RequestID)
			}
		})
	}
}

func TestACallThatDrainRefusesLeavesARecord(t *testing.T) {
	r := newRig(t, setup{name: "chat", server: chat()})
	a := r.stateful("/mcp/s/chat", "2025-11-25", `{}`)
	r.gateway.Drain(context.Background())
	if m, _ := a.call("1", "tools/call", post("hello")).response(); m.Error == nil {
		t.Fatalf("%s", m.Raw)
	}
	all := r.rejections()
	if len(all) != 1 || all[0].ToolName != "post_message" || !strings.Contains(all[0].ErrorMessage, "about to stop") {
		t.Errorf("%d records", len(all))
	}
}

func TestAHeaderThatSaysSomethingElseLeavesARecord(t *testing.T) {
	r := newRig(t, setup{name: "chat", server: chat()})
	a := r.stateless("/mcp/s/chat")
	body, header := a.message("1", "tools/call", post("hello"), `{}`)
	header[http.CanonicalHeaderKey(wire.HeaderName)] = "delete_message"
	a.send(body, header)
	all := r.rejections()
	if len(all) != 1 || all[0].ToolName != "post_message" || !strings.Contains(all[0].ErrorMessage, wire.HeaderName) {
		t.Errorf("%d records", len(all))
	}
}

// The gate records what it has seen itself. A message that is not a call leaves no record.
func TestARefusalIsRecordedOnceAndOnlyForCalls(t *testing.T) {
	r := newRig(t, setup{name: "chat", server: chat()})
	a := r.stateful("/mcp/s/chat", "2025-11-25", `{}`)
	a.call("1", "tools/call", post("hello")).response()
	a.call("2", "tools/call", `{"name":"fly","arguments":{}}`).response() // its server reports that it does not exist
	a.call("3", "no/such/method", `{}`).response()
	a.send(`{"jsonrpc":"2.0","id":4,"method":"ping","params":{"a":1,"a":2}}`, nil)
	r.gate.Kill(true)
	a.call("5", "tools/call", post("hello")).response()
	if all := r.rejections(); len(all) != 0 {
		t.Errorf("%q was rejected: %q", all[0].ToolName, all[0].ErrorMessage)
	}
	if n := len(r.recorded()); n != 4 {
		t.Errorf("%d records of three calls and a request that MCP does not define", n)
	}
}
