package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/approval"
	"mcpproxy/internal/gateway"
	"mcpproxy/internal/token"
	"mcpproxy/internal/wire"
)

// keylessly returns a rig that requires no key, and calls f with agents that reach one of its endpoints in different
// ways.
func keylessly(t *testing.T, servers ...setup) (r *rig, ways map[string]*rig, keys map[string]string) {
	t.Helper()
	k := keyUp(newRig(t, servers...), false)
	socket := httptest.NewServer(gateway.Trust(k.gateway))
	t.Cleanup(socket.Close)
	local := &rig{
		t:       t,
		gateway: k.gateway,
		gate:    k.gate,
		url:     socket.URL,
	}
	ways = map[string]*rig{
		"without a key":        k.rig,
		"with the owner's key": k.rig,
		"with a token":         k.rig,
		"over the socket":      local,
	}
	keys = map[string]string{"with the owner's key": "key", "with a token": k.token("ci", token.Scope{})}
	return k.rig, ways, keys
}

// A client that reaches the port without a key could accept its own question.
func TestOnlyAClientWithAKeyOrOnTheSocketIsAsked(t *testing.T) {
	r, ways, keys := keylessly(t, setup{name: "chat", server: chat()})
	r.asking(approval.Rules{Elicitation: true, Wait: time.Millisecond})
	for way, at := range ways {
		t.Run(way, func(t *testing.T) {
			mayAsk := way != "without a key"
			a := at.statefulAs(keys[way], "/mcp/s/chat", "2025-11-25", canElicit)
			x := a.call("1", "tools/call", post(way))
			m := x.next()
			if asked := m.Method == "elicitation/create"; asked != mayAsk {
				t.Fatalf("the stateful client gets %s", m.Raw)
			}
			if mayAsk {
				a.send(`{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":`+yes+`}`, nil)
				m, _ = x.response()
			}
			if made := textOf(m) == "you said "+way; made != mayAsk {
				t.Errorf("the stateful client is answered %s", m.Raw)
			}

			b := &agent{t: t, url: at.url + "/mcp/s/chat", key: keys[way]}
			m, _ = b.callAs("1", "tools/call", post(way), canElicit).response()
			if asked := wire.String(m.Result, "resultType") == "input_required"; asked != mayAsk {
				t.Errorf("the stateless client gets %s", m.Raw)
			}
			if !mayAsk && !strings.Contains(string(m.Raw), `"decision":"ask"`) {
				t.Errorf("nobody is asked, and the call is not stopped: %s", m.Raw)
			}
		})
	}
}

// A server's own question is not an approval, so any client that can be asked gets it.
func TestAServersQuestionReachesAClientWithoutAKey(t *testing.T) {
	r, _, _ := keylessly(t, setup{name: "asker", server: asker()})
	a := r.statefulAs("", "/mcp/s/asker", "2025-11-25", canElicit)
	x := a.call("1", "tools/call", confirm)
	q := x.next()
	if q.Method != "elicitation/create" {
		t.Fatalf("the client gets %s", q.Raw)
	}
	a.send(`{"jsonrpc":"2.0","id":`+string(q.ID)+`,"result":`+accepted+`}`, nil)
	if m, _ := x.response(); !strings.HasPrefix(textOf(m), "accept") {
		t.Errorf("the server hears %s", m.Raw)
	}
}

// Otherwise a request without a key could answer the questions of the session's owner.
func TestARequestWithoutAKeyEntersNoSessionThatWasOpenedWithOne(t *testing.T) {
	r, ways, _ := keylessly(t, setup{name: "chat", server: chat()})
	r.asking(approval.Rules{Elicitation: true})
	for way, key := range map[string]string{"with the owner's key": "key", "over the socket": ""} {
		owner := ways[way].statefulAs(key, "/mcp/s/chat", "2025-11-25", canElicit)
		thief := &agent{
			t:       t,
			url:     r.url + "/mcp/s/chat",
			session: owner.session,
			version: owner.version,
		}
		if x := thief.call("1", "tools/list", `{}`); x.resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: a request without a key enters the session: %s", way, x.resp.Status)
		}
		if x := thief.do(
			http.MethodGet,
			"",
			map[string]string{"Accept": "text/event-stream"},
		); x.resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: a request without a key hears the session's questions: %s", way, x.resp.Status)
		}
		asked := &agent{t: t, url: ways[way].url + "/mcp/s/chat", key: key}
		m, _ := asked.callAs("2", "tools/call", post(way), canElicit).response()
		state := wire.String(m.Result, "requestState")
		forger := &agent{t: t, url: r.url + "/mcp/s/chat"}
		m, _ = forger.callAs("3", "tools/call", again(post(way), state, `{"mcpproxy":`+yes+`}`), canElicit).response()
		if wire.Code(m) != wire.CodeInvalidParams {
			t.Errorf("%s: a request without a key answers for another: %s", way, m.Raw)
		}
	}
}
