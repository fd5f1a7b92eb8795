package gateway_test

import (
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpproxy/internal/wire"
)

const toolsChanged = `{"notifications":{"toolsListChanged":true}}`

// listening opens a subscription and reads its acknowledgement.
func listening(t *testing.T, a *agent, id, params string) *exchange {
	t.Helper()
	x := a.call(id, "subscriptions/listen", params)
	m := x.next()
	if m == nil || m.Method != "notifications/subscriptions/acknowledged" {
		t.Fatalf("%s: no acknowledgement but %v", x.resp.Status, m)
	}
	tagged(t, m, id)
	return x
}

func tagged(t *testing.T, m *wire.Message, id string) {
	t.Helper()
	if got := string(wire.Member(m.Params, "_meta", wire.MetaSubscription)); got != id {
		t.Errorf("%s is tagged %q, want %s", m.Method, got, id)
	}
}

// A server of the stateless era notifies only subscribers. Without a subscription, mcpproxy would offer outdated
// tools.
func TestASubscriptionReportsChangedTools(t *testing.T) {
	for name, c := range map[string]struct{ path, server string }{
		"mcpproxy's own list":         {"/mcp", "stateful"},
		"the list of everything":      {"/mcp/all", "stateful"},
		"a server of the old era":     {"/mcp/s/stateful", "stateful"},
		"a server of the new era":     {"/mcp/s/stateless", "stateless"},
		"everything, of a new server": {"/mcp/all", "stateless"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(
				t,
				setup{name: "stateful", server: notes()},
				setup{name: "stateless", server: vault(), stateless: true},
			)
			x := listening(t, r.stateless(c.path), `"listen-1"`, toolsChanged)
			add(r.up[c.server], "extra", "A new tool", echo)
			m := x.next()
			if m == nil || m.Method != "notifications/tools/list_changed" {
				t.Fatalf("heard %v", m)
			}
			tagged(t, m, `"listen-1"`)
		})
	}
}

func TestASubscriptionIsLimitedToWhatTheServerSupports(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes()}, setup{name: "chat", server: chat()})
	all := `{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["note://1"]}}`
	for name, c := range map[string]struct{ path, want string }{
		"mcpproxy has tools alone":        {"/mcp", `{"toolsListChanged":true}`},
		"a server with everything":        {"/mcp/s/notes", `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["note://1"]}`},
		"a server with tools and prompts": {"/mcp/s/chat", `{"toolsListChanged":true,"promptsListChanged":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			x := r.stateless(c.path).call("7", "subscriptions/listen", all)
			m := x.next()
			if m == nil {
				t.Fatal(x.resp.Status)
			}
			if got := string(wire.Member(m.Params, "notifications")); got != c.want {
				t.Errorf("granted %s, want %s", got, c.want)
			}
		})
	}
}

// After the acknowledgement of a subscription, no notification may be lost.
func TestASubscriptionReportsAnUpdatedResource(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes()})
	x := listening(t, r.stateless("/mcp/s/notes"), "9", `{"notifications":{"resourceSubscriptions":["note://1"]}}`)
	err := r.up["notes"].ResourceUpdated(t.Context(), &mcp.ResourceUpdatedNotificationParams{URI: "note://1"})
	if err != nil {
		t.Fatal(err)
	}
	m := x.next()
	if m == nil || m.Method != "notifications/resources/updated" || wire.String(m.Params, "uri") != "note://1" {
		t.Fatalf("heard %v", m)
	}
	tagged(t, m, "9")
}

// A stateful client in front of a stateless server subscribes with the request of its own era.
func TestASubscriptionIsBridgedToAStatelessServer(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes(), modern: true})
	a := r.stateful("/mcp/s/notes", "2025-06-18", `{}`)
	standing := a.do(http.MethodGet, "", nil)
	if m, _ := a.call("1", "resources/subscribe", `{"uri":"note://1"}`).response(); m.Result == nil {
		t.Fatalf("subscribe: %s", m.Raw)
	}
	heard := make(chan *wire.Message, 1)
	go func() { heard <- standing.next() }()
	r.until("the update is heard", func() bool { // the subscription is opened concurrently with the answer
		_ = r.up["notes"].ResourceUpdated(t.Context(), &mcp.ResourceUpdatedNotificationParams{URI: "note://1"})
		return len(heard) > 0
	})
	if m := <-heard; m == nil || m.Method != "notifications/resources/updated" {
		t.Errorf("heard %v", m)
	}
}

func TestASubscriptionWithoutTopicsIsRefused(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes()})
	for _, path := range []string{"/mcp", "/mcp/s/notes"} {
		for _, params := range []string{`{}`, `{"notifications":7}`} {
			x := r.stateless(path).call("1", "subscriptions/listen", params)
			if m, _ := x.response(); wire.Code(m) != wire.CodeInvalidParams {
				t.Errorf("%s %s: %s", path, params, m.Raw)
			}
		}
	}
}
