package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeInvalidParams  = -32602
)

// badMessages are malformed messages with the expected answers. Each is sent in an open session of revision
// 2025-11-25.
var badMessages = []struct {
	name, body string
	status     int
	code       int
}{
	{"a message that is cut off", `{"jsonrpc":"2.0","id":1,"method":"pi`, 400, codeParse},
	{"text that is no JSON", `hello`, 400, codeParse},
	{"an empty body", ``, 400, codeParse},
	{
		"two messages in one body",
		`{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`,
		400,
		codeParse,
	},
	{"a member twice", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`, 400, codeParse},
	{
		"a member twice by an escape",
		`{"jsonrpc":"2.0","id":1,"method":"ping","m\u0065thod":"tools/call"}`,
		400,
		codeParse,
	},
	{
		"an argument twice",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_thing","arguments":{"path":"a","path":"b"}}}`,
		400,
		codeParse,
	},
	{
		"a member that differs in case",
		`{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}`,
		400,
		codeInvalidRequest,
	},
	{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\xff\"}}", 400, codeParse},
	{
		"nesting a million deep",
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":` + nested(1_000_000) + `}`,
		400,
		codeParse,
	},
	{"a message without a version", `{"id":1,"method":"ping"}`, 400, codeInvalidRequest},
	{"an id that is an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, 400, codeInvalidRequest},
	{"an id that is null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, 400, codeInvalidRequest},
	{"params that are a string", `{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}`, 400, codeInvalidRequest},
	{
		"a message with method and result",
		`{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`,
		400,
		codeInvalidRequest,
	},
	{"a batch where there are none", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, 400, codeInvalidRequest},
	{
		"17 MB",
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"` + strings.Repeat("x", 17<<20) + `"}}`,
		413,
		codeInvalidRequest,
	},
	{"a call without a name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, 200, codeInvalidParams},
	{
		"a call whose arguments are a list",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_thing","arguments":[1]}}`,
		200,
		codeInvalidParams,
	},
	{
		"a name that differs in case",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_thing","Arguments":{}}}`,
		200,
		codeInvalidParams,
	},
}

func TestAMalformedMessageGetsAnErrorAndHarmsNobody(t *testing.T) {
	t.Parallel()
	d := startProgram(t, bin.plain, ownServer("calm", "calm"))
	c := open(t, d.url("/mcp/s/calm"), stateful)
	for _, m := range badMessages {
		t.Run(m.name, func(t *testing.T) {
			c := *c
			c.t = t
			a := c.post(m.body)
			if a.status != m.status || a.rpc.Error == nil || a.rpc.Error.Code != m.code || a.rpc.Error.Message == "" {
				t.Errorf("got HTTP status %d, %.300s, want status %d, code %d", a.status, a.body, m.status, m.code)
			}
			expectDone(t, &c)
		})
	}
	d.expectModest(t)
}

// expectDone makes a correct call, which must succeed.
func expectDone(t *testing.T, c *raw) {
	t.Helper()
	a := c.post(`{"jsonrpc":"2.0","id":"decent","method":"tools/call","params":{"name":"read_thing","arguments":{}}}`)
	if a.rpc.Error != nil || !bytes.Contains(a.rpc.Result, []byte(`"done"`)) {
		t.Errorf("a decent call got HTTP status %d, %.300s", a.status, a.body)
	}
}

func TestArgumentsThatCannotBeInspectedAreNotLetThrough(t *testing.T) {
	t.Parallel()
	d := start(t, ownServer("echo", "echo"))
	c := open(t, d.url("/mcp/s/echo"), stateful)
	a := c.post(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_thing","arguments":` + nested(
			9_900,
		) + `}}`,
	)
	if a.rpc.Error == nil && !a.rpc.isError() {
		t.Errorf("9,900 levels were let through: HTTP status %d, %.300s", a.status, a.body)
	}
}

func TestARequestThatIsNotValidHTTPIsRefused(t *testing.T) {
	t.Parallel()
	d := start(t, ownServer("calm", "calm"))
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	opened := open(t, d.url("/mcp/s/calm"), stateful)
	for _, c := range []struct {
		name, path string
		headers    []string
		status     int
	}{
		{"another content type", "/mcp/s/calm", []string{"Content-Type", "text/plain"}, http.StatusUnsupportedMediaType},
		{"no content type", "/mcp/s/calm", []string{"Content-Type", ""}, http.StatusUnsupportedMediaType},
		{"a foreign Host", "/mcp/s/calm", []string{"Host", "attacker.example"}, http.StatusForbidden},
		{"a foreign Host that looks local", "/mcp/s/calm", []string{"Host", "127.0.0.1.attacker.example"}, http.StatusForbidden},
		{"a foreign Origin", "/mcp/s/calm", []string{"Origin", "https://attacker.example"}, http.StatusForbidden},
		{"an Origin of nowhere", "/mcp/s/calm", []string{"Origin", "null"}, http.StatusForbidden},
		{"a foreign Origin at the REST API", "/api/v1/status", []string{"Origin", "https://attacker.example", "X-API-Key", apiKey}, http.StatusForbidden},
		{"no key at the REST API", "/api/v1/status", []string{"X-API-Key", ""}, http.StatusUnauthorized},
		{"no key", "/mcp/s/calm", []string{"X-API-Key", ""}, http.StatusUnauthorized},
		{"an unknown session", "/mcp/s/calm", []string{"Mcp-Session-Id", "nobody"}, http.StatusNotFound},
		{"the session of another endpoint", "/mcp", nil, http.StatusNotFound},
		{"no session", "/mcp/s/calm", []string{"Mcp-Session-Id", "", "Mcp-Protocol-Version", ""}, http.StatusBadRequest},
		{"an unknown revision", "/mcp/s/calm", []string{"Mcp-Protocol-Version", "1999-01-01"}, http.StatusBadRequest},
		{"an unknown server", "/mcp/s/nobody", nil, http.StatusNotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &raw{
				t:       t,
				url:     d.url(c.path),
				session: opened.session,
				version: stateful,
			}
			a := r.post(ping, c.headers...)
			if a.status != c.status || !json.Valid(a.body) {
				t.Errorf("got HTTP status %d, %s, want %d and JSON that says why", a.status, a.body, c.status)
			}
		})
	}
	expectDone(t, opened)
}

func TestABatchWorksInTheOneRevisionThatHasThem(t *testing.T) {
	t.Parallel()
	d := start(t, ownServer("calm", "calm"))
	c := open(t, d.url("/mcp"), "2025-03-26")
	a := c.post(
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`,
	)
	if a.status != http.StatusOK || a.rpc.Error != nil {
		t.Errorf("a batch got HTTP status %d, %s", a.status, a.body)
	}
	for _, bad := range []string{`[]`, `[1]`, `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"id":2}]`} {
		if a := c.post(bad); a.status != http.StatusBadRequest || a.rpc.Error == nil {
			t.Errorf("the batch %s got HTTP status %d, %s", bad, a.status, a.body)
		}
	}
}

func TestAnIDThatIsStillRunningIsRefused(t *testing.T) {
	t.Parallel()
	d := start(t, ownServer("slow", "slow"))
	c := open(t, d.url("/mcp/s/slow"), stateful)
	body := `{"jsonrpc":"2.0","id":"decent","method":"tools/call","params":{"name":"read_thing"}}`
	first := make(chan answer, 1)
	go func() {
		a, _ := c.try(context.Background(), []byte(body))
		first <- a
	}()
	time.Sleep(300 * time.Millisecond)
	if a := c.post(body); a.rpc.Error == nil || a.rpc.Error.Code != codeInvalidRequest {
		t.Errorf("the second request got %s", a.body)
	}
	if a := <-first; a.rpc.isError() || a.rpc.Result == nil {
		t.Errorf("the first request got %s", a.body)
	}
	expectDone(t, c)
}

func TestAClientThatLeavesMidCallDisturbsNobody(t *testing.T) {
	t.Parallel()
	d := start(t, ownServer("mute", "mute"), ownServer("calm", "calm"))
	leave := func(c *raw, body string, headers ...string) {
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		defer cancel()
		if a, err := c.try(ctx, []byte(body), headers...); err == nil {
			t.Errorf("the call was answered: %s", a.body)
		}
	}
	calm := open(t, d.url("/mcp/s/calm"), stateful)

	stranger := &raw{t: t, url: d.url("/mcp/s/mute")}
	body, headers := modern("0", "tools/list", `{}`)
	if a := stranger.post(body, headers...); a.rpc.Result == nil { // the server's process has started
		t.Fatalf("tools/list got %s", a.body)
	}
	body, headers = modern("1", "tools/call", `{"name":"read_thing"}`)
	leave(stranger, body, headers...)
	// In the stateless era, a client cancels a request by closing its connection.
	d.expectLog(t, "mute", "heard that a call was cancelled")
	expectDone(t, calm)

	c := open(t, d.url("/mcp/s/mute"), stateful)
	leave(c, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_thing"}}`)
	expectDone(t, calm)
	if a := c.post(`{"jsonrpc":"2.0","id":2,"method":"ping"}`); a.rpc.Result == nil {
		t.Errorf("the session of the client that left got %s", a.body)
	}
}

func TestAClientThatDoesNotReadHoldsUpNobody(t *testing.T) {
	subscribe, headers := modern("1", "subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`)
	for _, c := range []struct {
		name, mode, path, body string
		headers                []string
	}{
		{"a subscriber", "changes its tools all the time", "/mcp/s/busy", subscribe, headers},
		{"a caller", "reports progress all the time", "/mcp/all",
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"busy__read_thing","_meta":{"progressToken":"p"}}}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := start(t, ownServer("busy", c.mode))
			deaf := &raw{t: t, url: d.url(c.path)}
			if c.headers == nil {
				deaf = open(t, d.url(c.path), stateful)
			}
			deaf.postAndNotRead(c.body, c.headers...)
			other := open(t, d.url("/mcp/all"), stateful)
			started := time.Now()
			a := other.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"busy__read_thing"}}`)
			if took := time.Since(started); a.rpc.Result == nil || a.rpc.isError() || took > 60*time.Second {
				t.Errorf("another client got %s after %s", a.body, took)
			}
		})
	}
}
