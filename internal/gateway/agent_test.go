package gateway_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

func TestAClientsStatementsAboutItselfAreRecordedAsClaims(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes()})
	for name, c := range map[string]struct {
		header string
		want   mcpproxy.SessionAgent
	}{
		"its name":                        {"", mcpproxy.SessionAgent{Name: "t", Claimed: true}},
		"the folder of the bridge":        {url.PathEscape("/w/ein Ordner"), mcpproxy.SessionAgent{Name: "t", Claimed: true, Folder: "/w/ein Ordner"}},
		"not an invalid folder":           {"%zz", mcpproxy.SessionAgent{Name: "t", Claimed: true}},
		"not a folder that is too long":   {"/" + strings.Repeat("x", 4096), mcpproxy.SessionAgent{Name: "t", Claimed: true}},
		"a folder that is not valid text": {"/w/%ff%00x", mcpproxy.SessionAgent{Name: "t", Claimed: true, Folder: "/w/\x00x"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := r.stateful("/mcp", "2025-06-18", `{}`)
			got := r.read(a, "", map[string]string{wire.HeaderFolder: c.header}).Metadata.Agent
			if got == nil || *got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

func TestAClientIsAskedForItsRootsOnceAndNoCallWaitsForThem(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes()})
	a := r.stateful("/mcp", "2025-06-18", `{"roots":{}}`)
	if got := r.read(a, "", nil).Metadata.Agent; got == nil || got.Folder != "" {
		t.Errorf("before it has a stream: %+v", got)
	}
	standing := a.do(http.MethodGet, "", nil)
	asked := standing.next()
	if asked == nil || asked.Method != "roots/list" {
		t.Fatalf("the client is sent %+v", asked)
	}
	// A call does not wait for the answer.
	if got := r.read(a, "", nil).Metadata.Agent; got == nil || got.Folder != "" {
		t.Errorf("before the answer: %+v", got)
	}
	answer := `{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":{"roots":[` +
		`{"uri":"https://example.com/x"},{"uri":"file:///w/an%20app","name":"app"},{"uri":"file:///w/second"}]}}`
	if x := a.send(answer, nil); x.resp.StatusCode != http.StatusAccepted {
		t.Fatalf("the answer: %s", x.resp.Status)
	}
	want := mcpproxy.SessionAgent{Name: "t", Claimed: true, Folder: "/w/an app"}
	r.until("the folder is known", func() bool {
		got := r.read(a, "", nil).Metadata.Agent
		return got != nil && *got == want
	})
	again := a.do(http.MethodGet, "", nil)
	go standing.cancel()
	a.call("4", "ping", `{}`).response()
	heard := make(chan *wire.Message, 1)
	go func() { heard <- again.next() }()
	again.cancel()
	if m := <-heard; m != nil {
		t.Errorf("on its next stream the client is sent %s", m.Raw)
	}
}

func TestAClientWithoutRootsIsNotAsked(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes()})
	a := r.stateful("/mcp", "2025-06-18", `{}`)
	standing := a.do(http.MethodGet, "", nil)
	a.call("1", "ping", `{}`).response()
	heard := make(chan *wire.Message, 1)
	go func() { heard <- standing.next() }()
	standing.cancel()
	if m := <-heard; m != nil {
		t.Errorf("the client is sent %s", m.Raw)
	}
}
