package probe_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpproxy/internal/probe"
)

// model is a server that passes every test. A spoiler changes one thing.
type model struct {
	tools        string // answer to tools/list
	instructions string
	mu           sync.Mutex
	sessions     map[string]bool
	lists, calls int

	// What a spoiler may change. Each function gets the request.
	list       func(n int) string                                   // the tools in the n-th list
	onCall     func(name string, args map[string]any) string        // a result; "" for the usual one
	onMethod   func(method string, raw []byte) string               // a whole member ("result":… or "error":…); "" for the usual one
	sessionID  func(n int) string                                   // of the n-th session
	unguarded  bool                                                 // Origin and Host are not checked
	lax        bool                                                 // sessions are not checked
	forgetless bool                                                 // DELETE does not end the session
	anyVersion bool                                                 // accepts every protocol version
	key        string                                               // key that requests must carry; "" for none
	keyFirst   bool                                                 // initialize does not need the key
	before     func(w http.ResponseWriter, body []byte) (done bool) // gets every body first
}

const modelTools = `[{"name":"read_note","description":"Reads a note.","inputSchema":{"type":"object","properties":{"title":{"type":"string"},"lines":{"type":"integer"}},"required":["title"],"additionalProperties":false}},
{"name":"list_notes","description":"Lists the notes.","inputSchema":{"type":"object","properties":{}}},
{"name":"delete_note","description":"Deletes a note.","inputSchema":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}},
{"name":"write_note","description":"Writes a note.","inputSchema":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}}]`

func newModel() *model { return &model{tools: modelTools, sessions: map[string]bool{}} }

// start serves the model.
func (m *model) start(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(m)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	local := strings.HasPrefix(r.Host, "127.0.0.1") || strings.HasPrefix(r.Host, "localhost")
	if !m.unguarded && (r.Header.Get("Origin") != "" || !local) {
		http.Error(w, "forbidden", http.StatusForbidden)
		return
	}
	body, _ := io.ReadAll(r.Body)
	if m.key != "" && r.Header.Get("Authorization") != m.key &&
		!(m.keyFirst && strings.Contains(string(body), `"initialize"`)) {
		http.Error(w, "unauthorized", http.StatusUnauthorized)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	id := r.Header.Get("Mcp-Session-Id")
	if r.Method == http.MethodDelete {
		if !m.forgetless {
			delete(m.sessions, id)
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if m.before != nil && m.before(w, body) {
		return
	}
	var msg struct {
		JSONRPC string
		ID      json.RawMessage
		Method  any
		Params  json.RawMessage
	}
	err := json.Unmarshal(body, &msg)
	method, _ := msg.Method.(string)
	w.Header().Set("Content-Type", "application/json")
	if method == "initialize" {
		m.initialize(w, msg.ID, msg.Params)
		return
	}
	switch v := r.Header.Get("Mcp-Protocol-Version"); {
	case !m.lax && id == "":
		http.Error(w, "no session", http.StatusBadRequest)
	case !m.lax && !m.sessions[id]:
		http.Error(w, "no such session", http.StatusNotFound)
	case v != "2025-11-25" && !m.anyVersion:
		http.Error(w, "unknown protocol version", http.StatusBadRequest)
	case err != nil || msg.JSONRPC != "2.0" || method == "" || len(msg.Params) > 0 && msg.Params[0] != '{':
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`)
	case msg.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	default:
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, msg.ID, m.answer(method, body, msg.Params))
	}
}

func (m *model) initialize(w http.ResponseWriter, id, params json.RawMessage) {
	session := rand.Text()
	if m.sessionID != nil {
		session = m.sessionID(len(m.sessions))
	}
	m.sessions[session] = true
	var hello struct{ ProtocolVersion string }
	_ = json.Unmarshal(params, &hello)
	version := "2025-11-25"
	if m.anyVersion {
		version = hello.ProtocolVersion
	}
	w.Header().Set("Mcp-Session-Id", session)
	instructions, _ := json.Marshal(m.instructions)
	fmt.Fprintf(
		w,
		`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q,"capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"model","version":"1"},"instructions":%s}}`,
		id,
		version,
		instructions,
	)
}

const failed = `"error":{"code":-32602,"message":"Invalid params"}`

func (m *model) answer(method string, body []byte, params json.RawMessage) string {
	if m.onMethod != nil {
		if a := m.onMethod(method, body); a != "" {
			return a
		}
	}
	switch method {
	case "ping":
		return `"result":{}`
	case "tools/list":
		m.lists++
		if m.list != nil {
			return `"result":{"tools":` + m.list(m.lists) + `}`
		}
		return `"result":{"tools":` + m.tools + `}`
	case "resources/list":
		return `"result":{"resources":[{"uri":"note://one","name":"one"}]}`
	case "resources/templates/list":
		return `"result":{"resourceTemplates":[]}`
	case "resources/read":
		return `"error":{"code":-32002,"message":"Resource not found"}`
	case "tools/call":
		return m.call(params)
	}
	return `"error":{"code":-32601,"message":"Method not found"}`
}

// call answers a tool call. It validates the arguments, and refuses a title that contains an instruction.
func (m *model) call(params json.RawMessage) string {
	var p struct {
		Name      any
		Arguments map[string]any
	}
	if json.Unmarshal(params, &p) != nil {
		return failed
	}
	name, _ := p.Name.(string)
	m.calls++
	if m.onCall != nil {
		if r := m.onCall(name, p.Arguments); r != "" {
			return `"result":` + r
		}
	}
	switch name {
	case "list_notes":
		return `"result":` + said("one")
	case "read_note":
		title, ok := p.Arguments["title"].(string)
		lines, given := p.Arguments["lines"]
		if n, number := lines.(float64); !ok || given && (!number || n != float64(int(n))) || len(title) > 1000 {
			return failed
		}
		for _, order := range []string{"Ignore", "System:", "bypass"} {
			if strings.Contains(title, order) {
				return `"result":{"isError":true,"content":[{"type":"text","text":"The title is refused."}]}`
			}
		}
		return `"result":` + said("nothing")
	}
	return failed
}

// said returns a result that contains a text.
func said(s string) string {
	text, _ := json.Marshal(s)
	return `{"content":[{"type":"text","text":` + string(text) + `}]}`
}

// all returns the options of most tests: every test, with short timeouts.
func all() probe.Options {
	return probe.Options{Suites: []string{probe.SuiteAll}, CallTimeoutMS: 2000, LatencyTestCalls: 5}
}

// run tests a target.
func run(t *testing.T, target probe.Target, o probe.Options, th probe.Thresholds) *probe.Results {
	t.Helper()
	r, err := probe.New(target, o, th).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// slow returns a spoiler that delays tool calls.
func slow(d time.Duration) func(http.ResponseWriter, []byte) bool {
	return func(_ http.ResponseWriter, body []byte) bool {
		if strings.Contains(string(body), "tools/call") {
			time.Sleep(d)
		}
		return false
	}
}
