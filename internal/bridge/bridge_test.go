package bridge_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/bridge"
	"mcpproxy/internal/wire"
)

func TestAStatefulAgentWorksThroughTheBridge(t *testing.T) {
	a := newDaemon(t).agent("/mcp/s/notes")
	hello := a.initialize()
	if wire.String(hello.Result, "protocolVersion") != "2025-06-18" ||
		wire.String(hello.Result, "serverInfo", "name") != "notes" {
		t.Errorf("hello: %s", hello.Raw)
	}
	a.send(
		`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"},"_meta":{"n":12345678901234567890}}}`,
	)
	if m := a.answer(`"x"`); !strings.Contains(string(m.Raw), "you said hi") {
		t.Errorf("got %s", m.Raw)
	}
	if v := a.daemon.last.Load().Header.Get("Mcp-Protocol-Version"); v != "2025-06-18" {
		t.Errorf("the revision sent along is %q", v)
	}
}

func TestAStatelessAgentWorksThroughTheBridge(t *testing.T) {
	a := newDaemon(t).agent("/mcp/s/notes")
	a.send(modern(`1`, "tools/call", `{"name":"echo","arguments":{"text":"hi"}}`))
	if m := a.answer(`1`); !strings.Contains(string(m.Raw), "you said hi") {
		t.Errorf("got %s", m.Raw)
	}
	a.send(modern(`2`, "tools/destroy", `{}`))
	if m := a.answer(`2`); wire.Code(m) != wire.CodeMethodNotFound {
		t.Errorf("got %s", m.Raw)
	}
	a.send(modern(`"listen"`, "subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`))
	if m := a.next(); m.Method != "notifications/subscriptions/acknowledged" {
		t.Errorf("got %s", m.Raw)
	}
	a.send(modern(`3`, "tools/call", `{"name":"echo","arguments":{"text":"beside"}}`))
	if m := a.answer(`3`); !strings.Contains(string(m.Raw), "beside") {
		t.Errorf("beside an open stream: %s", m.Raw)
	}
}

func TestCancellingReachesTheServerInBothEras(t *testing.T) {
	for name, stateful := range map[string]bool{"stateful": true, "stateless": false} {
		t.Run(name, func(t *testing.T) {
			d := newDaemon(t)
			a := d.agent("/mcp/s/notes")
			call := modern(`7`, "tools/call", `{"name":"sleep","arguments":{}}`)
			if stateful {
				a.initialize()
				call = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"sleep","arguments":{}}}`
			}
			a.send(call)
			wait(t, d.started, "the call to start")
			a.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
			wait(t, d.cancelled, "the call to be cancelled")
		})
	}
}

func TestAServersQuestionIsAnsweredThroughTheBridge(t *testing.T) {
	a := newDaemon(t).agent("/mcp/s/notes")
	a.initialize()
	a.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"ask","arguments":{}}}`)
	q := a.next()
	if q.Method != "elicitation/create" || q.ID == nil {
		t.Fatalf("got %s", q.Raw)
	}
	a.send(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":{"action":"decline"}}`)
	if m := a.answer(`5`); !strings.Contains(string(m.Raw), "decline") {
		t.Errorf("got %s", m.Raw)
	}
}

// Messages that belong to no call arrive on the standing stream.
func TestAChangedListIsHeard(t *testing.T) {
	d := newDaemon(t)
	a := d.agent("/mcp/s/notes")
	a.initialize()
	d.untilListening(t)
	d.addTool("late")
	if m := a.next(); m.Method != "notifications/tools/list_changed" {
		t.Errorf("got %s", m.Raw)
	}
}

func TestASessionThatTheDaemonForgotIsOpenedAgain(t *testing.T) {
	d := newDaemon(t)
	a := d.agent("/mcp/s/notes")
	a.initialize()
	d.untilListening(t)
	d.restart(t)
	var ids []string
	for i := range 5 { // concurrently; only one session is opened for all
		id := fmt.Sprintf(`"after-%d"`, i)
		ids = append(ids, id)
		a.send(
			`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"echo","arguments":{"text":` + id + `}}}`,
		)
	}
	for range ids {
		m := a.next()
		if !strings.Contains(string(m.Raw), "you said after-") {
			t.Errorf("after the restart: %s", m.Raw)
		}
	}
	if n := d.gateway().SessionCount(); n != 1 {
		t.Errorf("%d sessions were opened", n)
	}
	d.untilListening(t)
	d.addTool("after_restart")
	if m := a.next(); m.Method != "notifications/tools/list_changed" {
		t.Errorf("the standing stream is gone: %s", m.Raw)
	}
}

func TestWithoutADaemonEveryRequestGetsAnError(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	a := start(t, &bridge.Bridge{HTTP: &http.Client{}, URL: gone.URL + "/mcp"})
	for _, line := range []string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`, modern(`2`, "tools/list", `{}`)} {
		a.send(line)
		m := a.next()
		if wire.Code(m) != wire.CodeInternal || !strings.Contains(string(m.Error), "mcpproxy serve") {
			t.Errorf("got %s", m.Raw)
		}
	}
}

// If the daemon refuses a message before it has read it, the request still gets an answer.
func TestARefusalCarriesTheRequestsId(t *testing.T) {
	for name, c := range map[string]struct {
		status     int
		kind, body string
	}{
		"an error without an id":    {401, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a valid key is required"}}`},
		"an error of another shape": {403, "application/json", `{"success":false,"error":"this Host may not"}`},
		"no JSON":                   {502, "text/html", "<html>"},
		"nothing":                   {500, "", ""},
		"broken JSON":               {200, "application/json", "{oops"},
		"a stream that ends early":  {200, "text/event-stream", ": nothing\n\n"},
		"accepted, and no answer":   {202, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			}))
			defer srv.Close()
			a := start(t, &bridge.Bridge{HTTP: &http.Client{}, URL: srv.URL})
			a.send(modern(`"mine"`, "tools/list", `{}`))
			m := a.next()
			if string(m.ID) != `"mine"` || m.Error == nil || wire.String(m.Error, "message") == "" {
				t.Errorf("got %s", m.Raw)
			}
		})
	}
}

func TestALongLinePassesAndATooLongOneIsReported(t *testing.T) {
	a := newDaemon(t).agent("/mcp/s/notes")
	big := strings.Repeat("x", 5<<18)
	a.send(modern(`1`, "tools/call", `{"name":"echo","arguments":{"text":"`+big+`"}}`))
	if m := a.answer(`1`); !strings.Contains(string(m.Raw), big) {
		t.Errorf("%d bytes came back: %.200s", len(m.Raw), m.Raw)
	}
	a.send(modern(`2`, "tools/call", `{"name":"echo","arguments":{"text":"`+strings.Repeat("x", 18<<20)+`"}}`))
	if m := a.answer(
		`2`,
	); m.Error == nil ||
		!strings.Contains(string(m.Raw), "larger") { // nothing else ends the request
		t.Errorf("got %.200s", m.Raw)
	}
	a.send(modern(`3`, "tools/call", `{"name":"echo","arguments":{"text":"small"}}`))
	if m := a.answer(`3`); !strings.Contains(string(m.Raw), "small") {
		t.Errorf("after the big line: %.200s", m.Raw)
	}
}

func TestWhatCannotBeReadIsAParseError(t *testing.T) {
	a := newDaemon(t).agent("/mcp")
	for _, line := range []string{`{oops`, `{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}`, `[]`} {
		a.send(line)
		if m := a.next(); !strings.Contains(string(m.Raw), "-32700") {
			t.Errorf("%s: %s", line, m.Raw)
		}
	}
}

func TestTheSessionEndsWithTheAgent(t *testing.T) {
	d := newDaemon(t)
	a := d.agent("/mcp/s/notes")
	a.initialize()
	if n := d.gateway().SessionCount(); n != 1 {
		t.Fatalf("%d sessions", n)
	}
	a.send(`{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"echo","arguments":{"text":"bye"}}}`)
	a.in.Close() // hangs up while the call runs
	if m := a.answer(`"last"`); !strings.Contains(string(m.Raw), "bye") {
		t.Errorf("the last answer: %s", m.Raw)
	}
	select {
	case err := <-a.ended:
		if err != nil {
			t.Errorf("Run says %v", err)
		}
	case <-time.After(patience):
		t.Fatal("the bridge stays")
	}
	if n := d.gateway().SessionCount(); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
}

func TestTheKeyAndTheSessionsNameAreSent(t *testing.T) {
	d := newDaemon(t)
	a := start(t, &bridge.Bridge{
		HTTP:    &http.Client{},
		URL:     d.url + "/mcp",
		Key:     "k",
		Session: "agent-1",
	})
	a.send(modern(`1`, "tools/list", `{}`))
	a.answer(`1`)
	h := d.last.Load().Header
	if h.Get("X-API-Key") != "k" || h.Get("X-Mcpproxy-Session") != "agent-1" || h.Get("Mcp-Method") != "tools/list" {
		t.Errorf("headers: %v", h)
	}
}

func ExampleBridge() {
	daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}))
	defer daemon.Close()
	b := &bridge.Bridge{HTTP: http.DefaultClient, URL: daemon.URL + "/mcp"}
	var out strings.Builder
	err := b.Run(context.Background(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"), &out)
	fmt.Print(out.String(), err)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{}}
	// <nil>
}
