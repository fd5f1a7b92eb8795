package upstream_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

func TestHTTPSpeaksBothEras(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stateless bool
		version   string
	}{
		"a server with sessions":            {false, wire.LatestStateful},
		"a server that knows only discover": {true, wire.Latest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := start(t, startWeb(t, &web{stateless: c.stateless}))
			link, err := s.Shared(t.Context())
			if err != nil || link.Version != c.version {
				t.Fatalf("link %+v, %v", link, err)
			}
			const arguments = `{"n":12345678901234567890, "s":"\u0041"}`
			resp, err := askWith(t, s, tool("echo", arguments), nil)
			if err != nil {
				t.Fatal(err)
			}
			want := `{"jsonrpc":"2.0","id":"agent-7","result":{"big":12345678901234567890,"params":{"name":"echo","arguments":` + arguments + `}}}`
			if string(resp.Raw) != want {
				t.Errorf("got %s, want %s", resp.Raw, want)
			}
		})
	}
}

func TestEventsComeBeforeTheAnswerAndInOrder(t *testing.T) {
	t.Parallel()
	s, _ := start(t, startWeb(t, &web{}))
	var got []string
	req := tool("events", "{}").WithParams([]byte(`{"name":"events","_meta":{"progressToken":"mine"}}`))
	resp, err := askWith(t, s, req, func(m *wire.Message) { got = append(got, m.Method) })
	if err != nil || wire.String(resp.Result, "params", "_meta", "progressToken") != "mine" {
		t.Errorf("got %v, %v", resp, err)
	}
	if want := "[notifications/progress sampling/createMessage notifications/message]"; fmt.Sprint(got) != want {
		t.Errorf("events %v, want %s", got, want)
	}
}

func TestHTTPMisbehaviour(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool string
		code mcpproxy.Code
	}{
		"an answer that never comes is a timeout":   {"hang", mcpproxy.CodeTimeout},
		"a stream that falls silent is a timeout":   {"hang-in-stream", mcpproxy.CodeTimeout},
		"a result with duplicate keys is malformed": {"duplicate", mcpproxy.CodeMalformed},
		"a result with invalid UTF-8 is malformed":  {"invalid", mcpproxy.CodeMalformed},
		"an answer with another id is no answer":    {"wrong-id", mcpproxy.CodeUpstream},
		"a web page is no answer":                   {"html", mcpproxy.CodeUpstream},
		"a stream that ends early is no answer":     {"empty", mcpproxy.CodeUpstream},
		"a body of 100 MB is too large":             {"huge", mcpproxy.CodeTooLarge},
		"an event of 100 MB is too large":           {"huge-event", mcpproxy.CodeTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &web{}
			spec := startWeb(t, w)
			if c.code == mcpproxy.CodeTimeout {
				spec.Timeout = 2 * time.Second
			}
			s, _ := start(t, spec)
			works(t, s)
			if resp, err := ask(t, s, c.tool); mcpproxy.CodeOf(err) != c.code || err == nil {
				t.Errorf("got %v, %v with code %s, want %s", resp, err, mcpproxy.CodeOf(err), c.code)
			}
			works(t, s)
			if c.code == mcpproxy.CodeTimeout && w.count(&w.cancelled) != 1 {
				t.Errorf("the server was told %d times that nobody waits", w.count(&w.cancelled))
			}
			if n := w.count(&w.sessions); n != 1 {
				t.Errorf("one bad answer made %d sessions", n)
			}
		})
	}
}

func TestAHugeBodyIsRefusedInBoundedMemory(t *testing.T) {
	for _, name := range []string{"huge", "huge-event"} {
		t.Run(name, func(t *testing.T) {
			s, _ := start(t, startWeb(t, &web{}))
			works(t, s)
			peak := heapGrowth(func() {
				if _, err := ask(t, s, name); mcpproxy.CodeOf(err) != mcpproxy.CodeTooLarge {
					t.Errorf("got %v", err)
				}
			})
			if peak > 64<<20 {
				t.Errorf("the heap grew by %d MB", peak>>20)
			}
		})
	}
}

// A server that restarts has forgotten its sessions. Some servers report this in plain text, the TypeScript SDK in
// JSON with a null id.
func TestALostSessionIsReplaced(t *testing.T) {
	t.Parallel()
	for name, inJSON := range map[string]bool{"said in plain text": false, "said in JSON": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &web{jsonLoss: inJSON}
			s, _ := start(t, startWeb(t, w))
			works(t, s)
			link, err := s.Shared(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			w.forget()
			// The server refused the call: it is repeated in a session that the server knows.
			if resp, err := ask(t, s, "echo"); err != nil || resp.Result == nil {
				t.Fatalf("the refused call was not repeated: %v", err)
			}
			select {
			case <-link.Done():
			case <-time.After(patience / 2):
				t.Fatal("the link of a forgotten session stays")
			}
			if n := w.count(&w.sessions); n != 2 {
				t.Errorf("%d sessions were opened, want 2", n)
			}
		})
	}
}

// A redirect would send credentials and data to a server that nobody configured.
func TestARedirectToAnotherHostIsRefused(t *testing.T) {
	t.Parallel()
	var visits atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visits.Add(1) }))
	defer other.Close()
	s, _ := start(t, startWeb(t, &web{elsewhere: other.URL + "/mcp"}))
	works(t, s)
	_, err := ask(t, s, "redirect")
	if mcpproxy.CodeOf(err) != mcpproxy.CodeUpstream || !strings.Contains(err.Error(), "redirect") {
		t.Errorf("got %v", err)
	}
	if n := visits.Load(); n != 0 {
		t.Errorf("the other host got %d requests", n)
	}
	works(t, s)
}

func TestHTTPCallsDoNotDelayEachOther(t *testing.T) {
	t.Parallel()
	s, _ := start(t, startWeb(t, &web{}))
	works(t, s)
	link, err := s.Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	hanging := make(chan error, 1)
	go func() {
		_, err := link.Call(t.Context(), tool("hang", "{}"), upstream.CallOptions{})
		hanging <- err
	}()
	for range 20 {
		if _, err := ask(t, s, "echo"); err != nil {
			t.Error(err)
		}
	}
	select {
	case err := <-hanging:
		t.Errorf("the hanging call ended: %v", err)
	default:
	}
	link.Close()
	if err := <-hanging; err == nil {
		t.Error("the hanging call was answered")
	}
}

func TestCloseEndsTheSession(t *testing.T) {
	t.Parallel()
	w := &web{}
	s, m := start(t, startWeb(t, w))
	works(t, s)
	m.Close(t.Context())
	eventually.True(t, "the session is deleted", func() bool { return w.count(&w.ended) == 1 })
	if got := s.Status().State; got == upstream.Failed {
		t.Errorf("state %s", got)
	}
}
