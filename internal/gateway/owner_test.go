package gateway_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"mcpproxy/internal/token"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// counterVariable makes this test binary an MCP server that counts calls.
const counterVariable = "TEST_MCP_COUNTER"

const (
	counterHello = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},` +
		`"serverInfo":{"name":"counter","version":"1"}}`
	counterQuestion = `{"jsonrpc":"2.0","id":"q","method":"elicitation/create",` +
		`"params":{"message":"well?","requestedSchema":{"type":"object","properties":{}}}}`
	counterTools = `{"tools":[{"name":"count","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
		{"name":"nag","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`
)

// counted is the answer of a counter: which of its clients has called, how often, and the cookie of the call.
type counted struct {
	Who    string
	Count  int
	Cookie string
}

func (c counted) result() []byte {
	text := map[string]string{"type": "text", "text": string(wire.MustJSON(c))}
	return wire.MustJSON(map[string]any{"content": []any{text}})
}

// count is a stdio server that counts the calls to its process. Its tool nag asks the user a question after it has
// answered.
func count(in io.Reader, out io.Writer) {
	calls := 0
	for lines := bufio.NewScanner(in); lines.Scan(); {
		m, err := wire.Parse(lines.Bytes())
		if err != nil || !m.IsRequest() {
			continue
		}
		var result []byte
		nags := false
		switch m.Method {
		case "initialize":
			result = []byte(counterHello)
		case "tools/list":
			result = slices.DeleteFunc([]byte(counterTools), func(b byte) bool { return b == '\n' })
		case "tools/call":
			calls++
			result = counted{Who: fmt.Sprint("process ", os.Getpid()), Count: calls}.result()
			nags = wire.String(m.Params, "name") == "nag"
		}
		answer := wire.NewError(m.ID, &wire.RPCError{Code: wire.CodeMethodNotFound, Message: "unknown"})
		if result != nil {
			answer = wire.NewResult(m.ID, result)
		}
		fmt.Fprintf(out, "%s\n", answer.Raw)
		if nags {
			fmt.Fprintln(out, counterQuestion)
		}
	}
}

// webCounter is a server over HTTP that counts the calls of each session, and sets a cookie for each.
type webCounter struct {
	mu    sync.Mutex
	calls map[string]int // by session
	ended []string
}

func (c *webCounter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	session := r.Header.Get(wire.HeaderSession)
	if r.Method != http.MethodPost {
		if r.Method == http.MethodDelete {
			c.ended = append(c.ended, session)
		}
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	raw, _ := io.ReadAll(r.Body)
	m, err := wire.Parse(raw)
	if err != nil || !m.IsRequest() {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch m.Method {
	case "initialize":
		session = fmt.Sprint("session ", len(c.calls))
		c.calls[session] = 0
		w.Header().Set(wire.HeaderSession, session)
		http.SetCookie(w, &http.Cookie{Name: "of", Value: session})
		_, _ = w.Write(wire.NewResult(m.ID, []byte(counterHello)).Raw)
	case "tools/list":
		_, _ = w.Write(wire.NewResult(m.ID, []byte(counterTools)).Raw)
	case "tools/call":
		c.calls[session]++
		_, _ = w.Write(wire.NewResult(m.ID, counted{session, c.calls[session], r.Header.Get("Cookie")}.result()).Raw)
	default:
		_, _ = w.Write(wire.NewError(m.ID, &wire.RPCError{Code: wire.CodeMethodNotFound, Message: "unknown"}).Raw)
	}
}

// counters returns a rig with a counter over each transport, and the counter over HTTP.
func counters(t *testing.T, shared bool) (*keyed, *webCounter) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	web := &webCounter{calls: map[string]int{}}
	back := httptest.NewServer(web)
	t.Cleanup(func() { back.CloseClientConnections(); back.Close() })
	k := keyUp(newRig(t), true)
	k.gateway.UseScripts(&actor{g: k.gate, send: k.gateway.Send})
	k.servers.Apply([]upstream.Spec{
		{
			Name:     "stdio",
			Enabled:  true,
			Protocol: upstream.Stdio,
			Command:  exe,
			Env:      map[string]string{counterVariable: "1"},
			Shared:   shared,
			Timeout:  patience,
		},
		{
			Name:     "web",
			Enabled:  true,
			Protocol: upstream.HTTP,
			URL:      back.URL,
			Shared:   shared,
			Timeout:  patience,
		},
	})
	k.until("the counters' tools are listed", func() bool {
		return len(k.catalog.Of("stdio")) == 2 && len(k.catalog.Of("web")) == 2
	})
	return k, web
}

// ways returns the calls that reach a tool of a server, by endpoint.
func ways(server, tool string) map[string][]string {
	return map[string][]string{
		"/mcp": {
			`{"name":"call_tool_read","arguments":{"name":"` + server + `:` + tool + `"}}`,
			`{"name":"execute","arguments":{"code":"` + server + `:` + tool + `"}}`,
		},
		"/mcp/all":         {`{"name":"` + server + `__` + tool + `","arguments":{}}`},
		"/mcp/s/" + server: {`{"name":"` + tool + `","arguments":{}}`},
	}
}

// counts returns the answer of a counter to a call.
func (a *agent) counts(params string) (c counted) {
	a.t.Helper()
	m, _ := a.call("1", "tools/call", params).response()
	if err := json.Unmarshal([]byte(textOf(m)), &c); err != nil {
		a.t.Fatalf("%s answers %s", params, m.Raw)
	}
	return c
}

// No server mistakes two principals, or two sessions, for one client, at any endpoint.
func TestEveryPrincipalHasCountersOfItsOwn(t *testing.T) {
	k, _ := counters(t, false)
	keys := map[string]string{
		"ann":   k.token("ann", token.Scope{}),
		"bob":   k.token("bob", token.Scope{}),
		"local": "key",
	}
	for _, server := range []string{"stdio", "web"} {
		owners := map[string]string{} // by the client that the server sees
		claim := func(owner string, c counted) {
			t.Helper()
			if other, taken := owners[c.Who]; taken && other != owner {
				t.Errorf("%s: %s and %s are one client, %s", server, other, owner, c.Who)
			}
			owners[c.Who] = owner
			if c.Cookie != "" && c.Cookie != "of="+c.Who {
				t.Errorf("%s: %s comes with the cookie %s", server, c.Who, c.Cookie)
			}
		}
		for name, key := range keys {
			without := 0
			for path, calls := range ways(server, "count") {
				clients := k.as(key, path)
				for i, params := range calls {
					within := clients["stateful"].counts(params)
					claim(name+" in a session at "+path, within)
					if within.Count != i+1 {
						t.Errorf(
							"%s: call %d of a session of %s at %s is counted as %d",
							server,
							i+1,
							name,
							path,
							within.Count,
						)
					}
					without++
					outside := clients["stateless"].counts(params)
					claim(name+" without a session", outside)
					if outside.Count != without {
						t.Errorf(
							"%s: call %d of %s, at %s, is counted as %d",
							server,
							without,
							name,
							path,
							outside.Count,
						)
					}
				}
			}
		}
		if want := len(keys) * 4; len(owners) != want { // a session at each of three endpoints, and no session
			t.Errorf("%s: %d clients instead of %d: %v", server, len(owners), want, owners)
		}
	}
}

func TestAServerIsSharedWhereItsConfigurationSaysSo(t *testing.T) {
	k, _ := counters(t, true)
	for _, server := range []string{"stdio", "web"} {
		n := 0
		for _, name := range []string{"ann-" + server, "bob-" + server} {
			a := &agent{t: t, url: k.url + "/mcp", key: k.token(name, token.Scope{})}
			for _, params := range ways(server, "count")["/mcp"] {
				n++
				if c := a.counts(params); c.Count != n {
					t.Errorf("%s: call %d, of %s, is counted as %d", server, n, name, c.Count)
				}
			}
		}
	}
}

// State that a session or a principal has at a server ends with the session or the principal.
func TestLinksEndWithTheirOwner(t *testing.T) {
	k, web := counters(t, false)
	key := k.token("ann", token.Scope{})
	call := ways("web", "count")["/mcp"][0]
	clients := k.as(key, "/mcp")
	within, without := clients["stateful"].counts(call).Who, clients["stateless"].counts(call).Who
	ended := func(who string) func() bool {
		return func() bool {
			web.mu.Lock()
			defer web.mu.Unlock()
			return slices.Contains(web.ended, who)
		}
	}
	clients["stateful"].do(http.MethodDelete, "", nil)
	k.until("the session's link ends", ended(within))
	if ended(without)() {
		t.Error("the principal's link ends with a session")
	}
	if err := k.tokens.Revoke("ann"); err != nil {
		t.Fatal(err)
	}
	k.until("the principal's link ends", ended(without))
}

// A server's question that the client has not answered ends with the session.
func TestAQuestionEndsWithItsSession(t *testing.T) {
	k, _ := counters(t, false)
	a := k.statefulAs("key", "/mcp/s/stdio", "2025-11-25", `{"elicitation":{}}`)
	stream := a.do(http.MethodGet, "", nil)
	a.counts(`{"name":"nag","arguments":{}}`)
	if m := stream.next(); m == nil || m.Method != "elicitation/create" {
		t.Fatalf("instead of a question comes %v", m)
	}
	a.do(http.MethodDelete, "", nil)
	k.until("nobody waits for the answer any more", func() bool {
		stacks := make([]byte, 1<<20)
		return !strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "gateway.(*session).ask(")
	})
}
