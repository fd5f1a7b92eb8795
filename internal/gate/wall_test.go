package gate_test

import (
	"context"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// request returns a call of any kind, with params as clients send them.
func request(kind mcpproxy.Kind, server, name, params string) *mcpproxy.Call {
	c := call(server, name, params)
	c.Kind = kind
	return c
}

// The wall between groups holds for every kind of request in which data arrives or leaves.
// Shows: GW-4.
func TestGroupsAreWallsForEveryKindOfRequest(t *testing.T) {
	brought := map[string]struct {
		call   *mcpproxy.Call
		result string
	}{
		"a tool's result": {call("vault", "get_entry", `{"path":"a"}`), content(summary)},
		"a resource": {request(mcpproxy.KindResource, "vault", "entry://1", `{"uri":"entry://1"}`),
			`{"contents":[{"uri":"entry://1","text":` + quoted(summary) + `}]}`},
		"a prompt": {request(mcpproxy.KindPrompt, "vault", "entry", `{"id":"1"}`),
			`{"messages":[{"role":"user","content":{"type":"text","text":` + quoted(summary) + `}}]}`},
		"the end of a long result": {
			call("vault", "get_entry", `{"path":"c"}`),
			content(strings.Repeat("nothing much happened. ", 20_000) + summary),
		},
		"the result of a task": {
			request(mcpproxy.KindMethod, "vault", "tasks/result", `{"taskId":"1"}`),
			content(summary),
		},
		"a list of resources": {request(mcpproxy.KindMethod, "vault", "resources/list", `{}`),
			`{"resources":[{"uri":"entry://1","name":"entry","description":` + quoted(summary) + `}]}`},
		"a notification beside a result": {request(mcpproxy.KindMethod, "vault", "notifications/progress", ""),
			`{"progressToken":1,"progress":1,"message":` + quoted(summary) + `}`},
		"structured content": {
			call("vault", "get_entry", `{"path":"b"}`),
			`{"content":[],"structuredContent":{"entry":` + quoted(summary) + `}}`,
		},
	}
	leaves := map[string]func(server string) *mcpproxy.Call{
		"a tool's arguments": func(s string) *mcpproxy.Call { return call(s, "create_issue", object("description", summary)) },
		"the address of a resource": func(s string) *mcpproxy.Call {
			return request(mcpproxy.KindResource, s, "issue://"+summary, object("uri", "issue://"+summary))
		},
		"the name of a tool": func(s string) *mcpproxy.Call { return request(mcpproxy.KindTool, s, summary, `{}`) },
		"the name of a prompt": func(s string) *mcpproxy.Call {
			return request(mcpproxy.KindPrompt, s, summary, `{}`)
		},
		"a prompt's arguments": func(s string) *mcpproxy.Call {
			return request(mcpproxy.KindPrompt, s, "report", object("what", summary))
		},
		"the value to complete": func(s string) *mcpproxy.Call {
			return request(
				mcpproxy.KindCompletion,
				s,
				"completion/complete",
				`{"argument":{"name":"a","value":`+quoted(summary)+`}}`,
			)
		},
		"any other method": func(s string) *mcpproxy.Call {
			return request(mcpproxy.KindMethod, s, "logging/other", object("text", summary))
		},
	}
	for source, in := range brought {
		for sink, out := range leaves {
			t.Run(source+" as "+sink, func(t *testing.T) {
				s := watchful()
				s.Tables.Groups = policy.Groups{"vault": "inner", "store": "inner", "jira": "outer"}
				s.Tables.ToolOverrides = map[string]mcpproxy.Decision{
					"jira":  mcpproxy.Allow,
					"store": mcpproxy.Allow,
					"wiki":  mcpproxy.Allow,
				}
				h := newRig(t, t.TempDir(), s)
				first := *in.call
				if r, v := h.gate.Do(context.Background(), &first, answer(in.result)); r == nil {
					t.Fatalf("%+v", v)
				}
				if v, sent := h.does(
					out("jira"),
				); sent || v.Rule != "groups.inner" ||
					v.Code() != mcpproxy.CodeGroupDenied {
					t.Errorf("to another group: sent %v, %+v", sent, v)
				}
				for _, server := range []string{"store", "wiki"} { // one of the same group, one without a group
					if v, sent := h.does(out(server)); !sent {
						t.Errorf("to %s: %+v", server, v)
					}
				}
				again := out("jira")
				again.FlowSession, again.Session = "flow-3", "mcp-3"
				if v, sent := h.does(again); sent || v.Rule != "groups.inner" {
					t.Errorf("in another session: sent %v, %+v", sent, v)
				}
				other := out("jira")
				other.FlowSession = "flow-2"
				other.Principal = "bob"
				other.Session = "mcp-2"
				if v, sent := h.does(other); !sent {
					t.Errorf("in a session of somebody else: %+v", v)
				}
			})
		}
	}
}

// A script can select any part of a large result and send it in any form.
func TestDataThatAScriptTakesFromAResultIsFollowed(t *testing.T) {
	scripted := func(c *mcpproxy.Call) *mcpproxy.Call {
		c.Channel = mcpproxy.ChannelCode
		return c
	}
	t.Run("out of the end of a long result", func(t *testing.T) {
		h := newRig(t, t.TempDir(), watchful())
		h.gate.Do(
			context.Background(),
			scripted(call("vault", "get_entry", `{}`)),
			answer(content(strings.Repeat("nothing much happened. ", 20_000)+summary)),
		)
		if v, _ := h.does(scripted(call("slack", "post_message", object("text", summary)))); len(v.Edges) == 0 {
			t.Errorf("%+v", v)
		}
	})
	t.Run("in pieces, each in the address of a resource", func(t *testing.T) {
		h := newRig(t, t.TempDir(), watchful())
		h.gate.Do(context.Background(), scripted(call("vault", "get_entry", `{}`)), answer(content(summary)))
		letters := strings.ReplaceAll(summary, " ", "")
		for at := 0; at+12 < len(letters); at += 12 {
			uri := "web://h/" + letters[at:at+12]
			v, _ := h.does(scripted(request(mcpproxy.KindResource, "slack", uri, object("uri", uri))))
			if len(v.Edges) > 0 {
				return
			}
		}
		t.Error("no piece was seen")
	})
}
