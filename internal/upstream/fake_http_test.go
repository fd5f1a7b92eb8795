package upstream_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcpproxy/internal/upstream"
)

// web is an MCP server over streamable HTTP that can misbehave.
type web struct {
	stateless bool   // supports only server/discover
	jsonLoss  bool   // reports a lost session in JSON
	denial    string // reports a lost session with status 400 and this text
	elsewhere string
	stuck     atomic.Bool // does not answer the next initialize

	mu        sync.Mutex
	sessions  int
	live      map[string]bool
	methods   []string
	tools     map[string]int // number of calls by tool
	cancelled int
	ended     int // number of DELETE requests
}

// startWeb serves w and returns the spec that reaches it.
func startWeb(t *testing.T, w *web) upstream.Spec {
	t.Helper()
	w.live = map[string]bool{}
	s := httptest.NewServer(w)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return upstream.Spec{
		Name:     "fake",
		Enabled:  true,
		Protocol: upstream.HTTP,
		URL:      s.URL + "/mcp",
		Headers:  map[string]string{"Authorization": "Bearer configured"},
		Timeout:  patience,
	}
}

// forget forgets every session.
func (w *web) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.live = map[string]bool{}
}

func (w *web) count(n *int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return *n
}

// called returns the number of calls of a tool.
func (w *web) called(tool string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tools[tool]
}

func (w *web) ServeHTTP(rw http.ResponseWriter, req *http.Request) {
	session := req.Header.Get("Mcp-Session-Id")
	w.mu.Lock()
	known := w.live[session]
	if req.Method == http.MethodDelete {
		w.ended++
	}
	w.mu.Unlock()
	switch {
	case req.Header.Get("Authorization") != "Bearer configured":
		rw.WriteHeader(http.StatusUnauthorized)
		return
	case req.Method == http.MethodDelete:
		return
	case req.Method != http.MethodPost:
		rw.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var r request
	body, err := io.ReadAll(req.Body)
	if err != nil || json.Unmarshal(body, &r) != nil {
		rw.WriteHeader(http.StatusBadRequest)
		return
	}
	w.mu.Lock()
	w.methods = append(w.methods, r.Method)
	w.mu.Unlock()
	switch {
	case r.Method == "initialize" && !w.stateless:
		w.open(rw, req, r)
	case r.Method == "server/discover" && w.stateless:
		answerJSON(rw, 200, r, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
	case r.Method == "initialize" || r.Method == "server/discover":
		refuse(rw, 400, r.ID, -32601, "method not found")
	case !w.stateless && !known && w.denial != "":
		refuse(rw, 400, r.ID, -32000, w.denial)
	case !w.stateless && !known && w.jsonLoss:
		refuse(rw, 404, json.RawMessage("null"), -32001, "Session not found")
	case !w.stateless && !known:
		http.Error(rw, "no such session", http.StatusNotFound)
	default:
		w.request(rw, req, r)
	}
}

func (w *web) open(rw http.ResponseWriter, req *http.Request, r request) {
	if w.stuck.CompareAndSwap(true, false) {
		<-req.Context().Done()
		return
	}
	w.mu.Lock()
	w.sessions++
	id := fmt.Sprint("session-", w.sessions)
	w.live[id] = true
	w.mu.Unlock()
	rw.Header().Set("Mcp-Session-Id", id)
	answerJSON(
		rw,
		200,
		r,
		`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1"}}`,
	)
}

func (w *web) request(rw http.ResponseWriter, req *http.Request, r request) {
	var p struct{ Name string }
	_ = json.Unmarshal(r.Params, &p)
	w.mu.Lock()
	if w.tools == nil {
		w.tools = map[string]int{}
	}
	w.tools[p.Name]++
	w.mu.Unlock()
	switch {
	case r.ID == nil:
		w.mu.Lock()
		if r.Method == "notifications/cancelled" {
			w.cancelled++
		}
		w.mu.Unlock()
		rw.WriteHeader(http.StatusAccepted)
	case p.Name == "hang":
		<-req.Context().Done()
	case p.Name == "hang-in-stream":
		stream(rw, `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"wait"}}`)
		<-req.Context().Done()
	case p.Name == "huge":
		rw.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(rw, `{"jsonrpc":"2.0","id":%s,"result":{"pad":"`, r.ID)
		pad(rw)
		fmt.Fprint(rw, `"}}`)
	case p.Name == "huge-event":
		rw.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(rw, `data: {"jsonrpc":"2.0","id":%s,"result":{"pad":"`, r.ID)
		pad(rw)
		fmt.Fprint(rw, "\"}}\n\n")
	case p.Name == "events":
		stream(rw, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":1}}`,
			`{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{"x":1}}`,
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"two"}}`,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"big":12345678901234567890,"params":%s}}`, r.ID, r.Params))
	case p.Name == "redirect":
		http.Redirect(rw, req, w.elsewhere, http.StatusTemporaryRedirect)
	default:
		w.odd(rw, r, p.Name)
	}
}

func (w *web) odd(rw http.ResponseWriter, r request, name string) {
	switch name {
	case "duplicate":
		answerJSON(rw, 200, r, `{"a":1,"a":2}`)
	case "invalid":
		answerJSON(rw, 200, r, "{\"a\":\"\xff\"}")
	case "wrong-id":
		answerJSON(rw, 200, request{ID: json.RawMessage("999999")}, `{}`)
	case "html":
		http.Error(rw, "<h1>Bad Gateway</h1>", http.StatusBadGateway)
	case "empty":
		rw.Header().Set("Content-Type", "text/event-stream")
	default:
		answerJSON(rw, 200, r, `{"big":12345678901234567890,"params":`+string(r.Params)+`}`)
	}
}

func answerJSON(rw http.ResponseWriter, status int, r request, result string) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	fmt.Fprintf(rw, `{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, result)
}

func refuse(rw http.ResponseWriter, status int, id json.RawMessage, code int, message string) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	fmt.Fprintf(rw, `{"jsonrpc":"2.0","error":{"code":%d,"message":%q},"id":%s}`, code, message, id)
}

// stream sends events and flushes after each one.
func stream(rw http.ResponseWriter, events ...string) {
	rw.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		fmt.Fprintf(rw, ": comment\nevent: message\ndata: %s\n\n", e)
		rw.(http.Flusher).Flush()
		time.Sleep(time.Millisecond) // so that events arrive separately
	}
}

// pad writes 100 MB, unless the client stops reading.
func pad(out io.Writer) {
	chunk := strings.Repeat("x", 1<<20)
	for range 100 {
		if _, err := io.WriteString(out, chunk); err != nil {
			return
		}
	}
}

func readJSON(r *http.Request, v any) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, v)
}
