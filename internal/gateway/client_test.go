package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"mcpproxy/internal/auth/oidc"
	"mcpproxy/internal/wire"
)

// agent is a raw client at one endpoint.
type agent struct {
	t       testing.TB
	url     string
	session string
	version string
	key     string // sent with every request, unless it is empty
}

// exchange is an answer being read: a stream of messages.
type exchange struct {
	t      testing.TB
	resp   *http.Response
	events *wire.EventReader
	whole  []byte // a JSON body
	cancel context.CancelFunc
}

// send posts a body and returns when the answer begins.
func (a *agent) send(body string, header map[string]string) *exchange {
	a.t.Helper()
	return a.do(http.MethodPost, body, header)
}

func (a *agent) do(method, body string, header map[string]string) *exchange {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	a.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, method, a.url, strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	a.setHeader(req, header)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { resp.Body.Close() })
	x := &exchange{t: a.t, resp: resp, cancel: cancel}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		x.events = wire.NewEventReader(resp.Body, 16<<20)
	} else if x.whole, err = io.ReadAll(resp.Body); err != nil {
		a.t.Fatal(err)
	}
	return x
}

func (a *agent) setHeader(req *http.Request, more map[string]string) {
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if a.session != "" {
		req.Header.Set("Mcp-Session-Id", a.session)
		req.Header.Set("Mcp-Protocol-Version", a.version)
	}
	if oidc.LooksLikeToken(a.key) {
		req.Header.Set("Authorization", "Bearer "+a.key)
	} else if a.key != "" {
		req.Header.Set("X-API-Key", a.key)
	}
	for k, v := range more {
		req.Header.Set(k, v)
	}
}

// next returns the next message of the answer, or nil at its end.
func (x *exchange) next() *wire.Message {
	x.t.Helper()
	raw := x.whole
	if x.events != nil {
		ev, err := x.events.Next()
		if err != nil {
			return nil
		}
		raw = ev.Data
	}
	x.whole = nil
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	m, err := wire.Parse(raw)
	if err != nil { // an error without an id
		return &wire.Message{Raw: raw, Error: wire.Member(raw, "error")}
	}
	return m
}

// response returns the final message, and the messages before it.
func (x *exchange) response() (last *wire.Message, before []*wire.Message) {
	x.t.Helper()
	for m := x.next(); m != nil; m = x.next() {
		if m.Method == "" {
			return m, before
		}
		before = append(before, m)
	}
	x.t.Fatalf("the exchange ended without a response (status %s, %d messages before)", x.resp.Status, len(before))
	return nil, nil
}

// stateful opens a session at an endpoint, with the owner's key.
func (r *rig) stateful(path, version, capabilities string) *agent {
	r.t.Helper()
	return r.statefulAs("key", path, version, capabilities)
}

// statefulAs is stateful with a key.
func (r *rig) statefulAs(key, path, version, capabilities string) *agent {
	r.t.Helper()
	a := &agent{t: r.t, url: r.url + path, key: key}
	x := a.send(
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":`+capabilities+`,"clientInfo":{"name":"t","version":"1"}}}`,
		nil,
	)
	m, _ := x.response()
	if m.Result == nil {
		r.t.Fatalf("initialize: %s", m.Raw)
	}
	a.session, a.version = x.resp.Header.Get("Mcp-Session-Id"), wire.String(m.Result, "protocolVersion")
	if a.session == "" {
		r.t.Fatal("no session was opened")
	}
	if x := a.send(
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		nil,
	); x.resp.StatusCode != http.StatusAccepted {
		r.t.Fatalf("initialized: %s", x.resp.Status)
	}
	return a
}

// stateless returns a client of revision 2026-07-28 at an endpoint, with the owner's key.
func (r *rig) stateless(path string) *agent {
	return &agent{t: r.t, url: r.url + path, key: "key"}
}

// hang posts a request in the background and does not read the answer. It returns a function that closes the
// connection.
func (a *agent) hang(id, method, params string) func() {
	a.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	a.t.Cleanup(cancel)
	body, header := a.message(id, method, params, `{}`)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	a.setHeader(req, header)
	go func() {
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	}()
	return cancel
}

// call posts a request in the agent's era; members are added to the params.
func (a *agent) call(id, method, params string) *exchange {
	a.t.Helper()
	return a.callAs(id, method, params, `{}`)
}

// callAs is call for a client with capabilities (stateless era).
func (a *agent) callAs(id, method, params, capabilities string) *exchange {
	a.t.Helper()
	return a.send(a.message(id, method, params, capabilities))
}

// message returns a request in the agent's era, with its headers.
func (a *agent) message(id, method, params, capabilities string) (body string, header map[string]string) {
	if a.session != "" {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`, nil
	}
	raw := wire.Set([]byte(params), []byte(`"`+wire.Latest+`"`), "_meta", wire.MetaVersion)
	raw = wire.Set(raw, []byte(capabilities), "_meta", wire.MetaCapabilities)
	m := wire.NewRequest([]byte(id), method, raw)
	h := http.Header{}
	wire.SetHeaders(h, m)
	header = map[string]string{}
	for k := range h {
		header[k] = h.Get(k)
	}
	return string(m.Raw), header
}

// textOf returns the first text of a tool result.
func textOf(m *wire.Message) string {
	var r struct{ Content []struct{ Text string } }
	if m.Result == nil || json.Unmarshal(m.Result, &r) != nil || len(r.Content) == 0 {
		return "no tool result: " + string(m.Raw)
	}
	return r.Content[0].Text
}
