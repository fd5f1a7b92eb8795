package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"mcpproxy/internal/token"
	"mcpproxy/internal/wire"
)

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":%s,"clientInfo":{"name":"t","version":"1"}}}%s`

// heap returns the size of the heap in use, in bytes.
func heap() int64 {
	runtime.GC()
	runtime.GC() // to free what the first collection has finalised
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestInitializeKeepsNoLargeRequestInMemory(t *testing.T) {
	const large = 15 << 20
	for name, c := range map[string]struct {
		body   string
		status int
		code   int
	}{
		"large capabilities are refused":                   {fmt.Sprintf(initialize, `{"experimental":{"x":"`+strings.Repeat("x", large)+`"}}`, ""), http.StatusRequestEntityTooLarge, wire.CodeInvalidParams},
		"a large body around a small greeting is not kept": {fmt.Sprintf(initialize, `{}`, strings.Repeat(" ", large)), http.StatusOK, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			a := &agent{t: t, url: r.url + "/mcp"}
			before := heap()
			for range 20 {
				x := a.send(c.body, nil)
				if m, _ := x.response(); x.resp.StatusCode != c.status || wire.Code(m) != c.code {
					t.Fatalf("answered with %s: %.300s", x.resp.Status, m.Raw)
				}
			}
			if kept := heap() - before; kept > 2*large {
				t.Errorf("20 greetings left %d MB behind", kept>>20)
			}
		})
	}
}

func TestAStatelessRequestHasNoLargeCapabilities(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes()})
	x := r.stateless("/mcp/s/notes").
		callAs("1", "tools/list", `{}`, `{"experimental":{"x":"`+strings.Repeat("x", 65<<10)+`"}}`)
	if m, _ := x.response(); wire.Code(m) != wire.CodeInvalidParams || x.resp.StatusCode != http.StatusBadRequest {
		t.Errorf("answered with %s: %s", x.resp.Status, m.Raw)
	}
}

// alive reports whether an agent's session still exists.
func (a *agent) alive() bool {
	a.t.Helper()
	return a.send(`{"jsonrpc":"2.0","id":9,"method":"ping"}`, nil).resp.StatusCode == http.StatusOK
}

const perClient, inAll = 256, 1024

func TestTheOldestUnusedSessionIsRemovedFirst(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes()})
	calling := r.stateful("/mcp/all", "2025-11-25", `{}`)
	calling.call("1", "tools/call", `{"name":"notes__echo","arguments":{}}`).response()
	streaming := r.stateful("/mcp", "2025-11-25", `{}`)
	streaming.do(http.MethodGet, "", nil)
	idle := r.stateful("/mcp", "2025-11-25", `{}`)
	next := r.stateful("/mcp", "2025-11-25", `{}`)
	for r.gateway.SessionCount() < perClient {
		r.stateful("/mcp", "2025-11-25", `{}`)
	}

	r.stateful("/mcp", "2025-11-25", `{}`)
	if n := r.gateway.SessionCount(); n != perClient {
		t.Errorf("%d sessions are open", n)
	}
	if idle.alive() {
		t.Error("the oldest session that never called anything is still open")
	}
	for name, a := range map[string]*agent{"a session that called a tool": calling, "one with a stream": streaming, "a younger one": next} {
		if !a.alive() {
			t.Errorf("%s has ended", name)
		}
	}
}

func TestAnActiveSessionIsNotEndedForANewcomer(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes()})
	for range perClient {
		a := r.stateful("/mcp/all", "2025-11-25", `{}`)
		a.call("1", "tools/call", `{"name":"notes__echo","arguments":{}}`).response()
	}
	a := &agent{t: t, url: r.url + "/mcp"}
	x := a.send(fmt.Sprintf(initialize, `{}`, ""), nil)
	m, _ := x.response()
	if x.resp.StatusCode != http.StatusServiceUnavailable || x.resp.Header.Get("Retry-After") == "" ||
		string(m.ID) != "0" {
		t.Errorf("answered with %s, Retry-After %q: %s", x.resp.Status, x.resp.Header.Get("Retry-After"), m.Raw)
	}
	if n := r.gateway.SessionCount(); n != perClient {
		t.Errorf("%d sessions are open", n)
	}
}

func TestSessionsAreBoundedInAll(t *testing.T) {
	k := newKeyed(t, true)
	var first *agent
	for n := range inAll / perClient {
		key := k.token(fmt.Sprint("agent-", n), token.Scope{})
		for range perClient {
			a := k.statefulAs(key, "/mcp", "2025-11-25", `{}`)
			if first == nil {
				first = a
			}
		}
	}
	last := k.statefulAs(k.token("last", token.Scope{}), "/mcp", "2025-11-25", `{}`)
	if n := k.gateway.SessionCount(); n != inAll {
		t.Errorf("%d sessions are open", n)
	}
	if first.alive() || !last.alive() {
		t.Error("the oldest session did not give way to the newest")
	}
}

func TestDeleteFreesASession(t *testing.T) {
	r := newRig(t)
	body := fmt.Sprintf(initialize, `{"experimental":{"x":"`+strings.Repeat("x", 60<<10)+`"}}`, "")
	send := func(method, session string) (status int, header http.Header) {
		req, err := http.NewRequestWithContext(t.Context(), method, r.url+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		(&agent{session: session, version: "2025-11-25"}).setHeader(req, nil)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
		return resp.StatusCode, resp.Header
	}
	before := heap()
	for range 300 {
		_, opened := send(http.MethodPost, "")
		ended, _ := send(http.MethodDelete, opened.Get("Mcp-Session-Id"))
		if ended != http.StatusNoContent {
			t.Fatalf("DELETE was answered with %d", ended)
		}
	}
	if n := r.gateway.SessionCount(); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
	r.until("300 sessions have left less than 6 MB behind", func() bool { return heap()-before < 6<<20 })
}

func TestALargeBatchIsRefused(t *testing.T) {
	r := newRig(t)
	a := r.stateful("/mcp", "2025-03-26", `{}`)
	ping := `{"jsonrpc":"2.0","id":%d,"method":"ping"}`
	batch := make([]string, 257)
	for i := range batch {
		batch[i] = fmt.Sprintf(ping, i)
	}
	if x := a.send("["+strings.Join(batch, ",")+"]", nil); x.resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("answered with %s", x.resp.Status)
	}
	if x := a.send("["+strings.Join(batch[1:], ",")+"]", nil); x.resp.StatusCode != http.StatusOK {
		t.Errorf("a batch of 256 is answered with %s", x.resp.Status)
	}
}

// Each watched resource keeps a request to the server open, so a session may watch a limited number.
func TestASessionWatchesALimitedNumberOfResources(t *testing.T) {
	r := newRig(t, setup{name: "notes", server: notes(), modern: true})
	a := r.stateful("/mcp/s/notes", "2025-11-25", `{}`)
	subscribe := func(n int) int {
		m, _ := a.call("1", "resources/subscribe", fmt.Sprintf(`{"uri":"note://%d"}`, n)).response()
		return wire.Code(m)
	}
	for n := range 64 {
		if code := subscribe(n); code != 0 {
			t.Fatalf("watching resource %d fails with %d", n, code)
		}
	}
	if code := subscribe(64); code != wire.CodeInvalidParams {
		t.Errorf("watching a 65th resource answers %d", code)
	}
	a.call("2", "resources/unsubscribe", `{"uri":"note://1"}`).response()
	if code := subscribe(64); code != 0 {
		t.Errorf("watching a resource in the place of another fails with %d", code)
	}
	if m, _ := a.call("3", "logging/setLevel", `{"level":"`+strings.Repeat("x", 100)+`"}`).
		response(); wire.Code(
		m,
	) != wire.CodeInvalidParams {
		t.Errorf("a level that does not exist is answered with %s", m.Raw)
	}
}
