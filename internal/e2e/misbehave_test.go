package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// lies are servers that violate the protocol when a tool is called. Want is a part of the expected error; "" if the
// call must succeed.
var lies = []struct{ mode, want string }{
	{"huge", "over its limits"},
	{"mute", "did not answer within 3s"},
	{"answers others", "did not answer within 3s"},
	{"talks too much", ""},
	{"changes its tools all the time", ""},
	{"asks all the time", ""},
	{"dies", "unreachable"},
	{"answers twice", ""},
	{"not UTF-8", "not valid"},
	{"repeats a key", "not valid"},
	{"result and error", "not valid"},
	{"nests 10,000 deep", "not valid"},
	{"nests 5,000 deep", "could not be inspected"},
	{"chatters on its output", ""},
}

func TestAMisbehavingStdioServerCausesAnErrorAndHarmsNobody(t *testing.T) {
	for _, lie := range lies {
		t.Run(lie.mode, func(t *testing.T) {
			t.Parallel()
			d := startProgram(t, bin.plain, ownServer("lying", lie.mode), ownServer("calm", "calm"))
			// at its own endpoint each session has its own process; on /mcp/all all sessions share one
			for path, tool := range map[string]string{"/mcp/s/lying": "read_thing", "/mcp/all": "lying__read_thing"} {
				expectLie(t, d, open(t, d.url(path), stateful), tool, lie.want)
			}
			d.expectModest(t)
		})
	}
}

// expectLie calls a tool of a misbehaving server while another client uses a correct server. Afterwards it calls the
// correct server once more.
func expectLie(t *testing.T, d *daemon, c *raw, tool, want string) {
	t.Helper()
	done := make(chan answer, 1)
	go func() {
		a, err := c.try(
			context.Background(),
			fmt.Appendf(
				nil,
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{}}}`,
				tool,
			),
		)
		if err != nil {
			a.body = []byte(err.Error())
		}
		done <- a
	}()
	calm := open(t, d.url("/mcp/s/calm"), stateful)
	for {
		started := time.Now()
		expectDone(t, calm)
		if took := time.Since(started); took > 20*time.Second {
			t.Errorf("%s: a call of the calm server took %s meanwhile", tool, took)
		}
		select {
		case a := <-done:
			checkLie(t, tool, a, want)
			expectDone(t, calm)
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func checkLie(t *testing.T, tool string, a answer, want string) {
	t.Helper()
	ok := a.rpc.Error == nil && a.rpc.Result != nil && !a.rpc.isError()
	if want == "" && !ok {
		t.Errorf("%s got %.300s", tool, a.body)
	}
	if want != "" && (ok || !strings.Contains(string(a.body), want)) {
		t.Errorf("%s got %.300s, want an error with %q", tool, a.body, want)
	}
}

func TestMessagesThatNobodyListensToCostLittle(t *testing.T) {
	t.Parallel()
	d := startProgram(t, bin.plain, ownServer("loud", "talks on after the answer"))
	expectDone(t, open(t, d.url("/mcp/s/loud"), stateful)) // a client without a standing stream
	d.expectLog(t, "loud", "all is said")
	d.expectModest(t)
}

func TestADeadServerIsStartedAgain(t *testing.T) {
	t.Parallel()
	d := start(t, ownServer("mortal", "dies"))
	c := open(t, d.url("/mcp/all"), stateful)
	for i := range 3 {
		a := c.post(
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"mortal__read_thing"}}`, i),
		)
		if a.rpc.Error == nil || !strings.Contains(a.rpc.Error.Message, "unreachable") {
			t.Errorf("call %d got %s", i, a.body)
		}
		d.waitTools("mortal")
	}
}

// httpLies are HTTP servers that violate the protocol when a tool is called.
var httpLies = []struct {
	name, want string
	answer     func(w http.ResponseWriter, r *http.Request, id []byte)
}{
	{"100 MB of JSON", "over its limits", func(w http.ResponseWriter, _ *http.Request, id []byte) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"x":"`, id)
		pour(w, 100<<20)
		fmt.Fprint(w, `"}}`)
	}},
	{"100 MB in an event", "over its limits", func(w http.ResponseWriter, _ *http.Request, id []byte) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, `data: {"jsonrpc":"2.0","id":%s,"result":{"x":"`, id)
		pour(w, 100<<20)
		fmt.Fprint(w, "\"}}\n\n")
	}},
	{"silence", "did not answer within 3s", func(_ http.ResponseWriter, r *http.Request, _ []byte) {
		select {
		case <-r.Context().Done():
		case <-time.After(patience):
		}
	}},
	{"an answer that is cut off", "unreachable", func(w http.ResponseWriter, _ *http.Request, id []byte) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"res`, id)
	}},
	{"events that end too early", "unreachable", func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, ": nothing\n\n")
	}},
	{"the answer to another request", "unreachable", func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":987654,"result":{}}`)
	}},
	{"a page", "HTTP status 500", func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, "<html>")
	}},
	{"a redirect to another host", "unreachable", func(w http.ResponseWriter, r *http.Request, _ []byte) {
		http.Redirect(w, r, "http://127.0.0.2:9/", http.StatusTemporaryRedirect)
	}},
	{"invalid UTF-8", "not valid", func(w http.ResponseWriter, _ *http.Request, id []byte) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"x\":\"\xff\"}}", id)
	}},
}

func pour(w http.ResponseWriter, n int) {
	block := strings.Repeat("0123456789abcdef", 1<<12)
	for ; n > 0; n -= len(block) {
		if _, err := fmt.Fprint(w, block); err != nil {
			return
		}
	}
}

func TestAMisbehavingHTTPServerCausesAnErrorAndHarmsNobody(t *testing.T) {
	for _, lie := range httpLies {
		t.Run(lie.name, func(t *testing.T) {
			t.Parallel()
			s := newLyingServer(t, lie.answer)
			lying := httpServer("lying", s.URL)
			lying["timeout_secs"] = 30 // on a busy machine, 16 MB take some time
			if lie.name == "silence" {
				lying["timeout_secs"] = 3
			}
			d := startProgram(t, bin.plain, lying, ownServer("calm", "calm"))
			for path, tool := range map[string]string{"/mcp/s/lying": "strange", "/mcp/all": "lying__strange"} {
				expectLie(t, d, open(t, d.url(path), stateful), tool, lie.want)
			}
			d.expectModest(t)
		})
	}
}

// newLyingServer returns a server that behaves correctly until a tool is called.
func newLyingServer(t *testing.T, lie func(http.ResponseWriter, *http.Request, []byte)) *httptest.Server {
	t.Helper()
	decent := newStrangeServer(t, stateful, false)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, isCall := callID(r)
		if !isCall {
			decent.serve(w, r)
			return
		}
		lie(w, r, id)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}
