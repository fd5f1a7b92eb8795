package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/gatetest"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/sqlite"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	os.Exit(m.Run())
}

// defaults returns the documented default settings.
func defaults() gate.Settings { return gatetest.Settings() }

// rig is a gate with its real dependencies.
type rig struct {
	t       testing.TB
	gate    *gate.Gate
	tracker *flow.Tracker
	log     *ledger.Log
	reader  func() *sqlite.Store // a second connection to the log's file
	mu      sync.Mutex
	events  []event
}

// event is an event as a subscriber stores it, encoded as JSON at once.
type event struct {
	name string
	json string
}

func newRig(t testing.TB, dir string, s gate.Settings) *rig {
	open := func() *sqlite.Store {
		s, err := sqlite.Open(context.Background(), filepath.Join(dir, "activity.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	h := &rig{t: t, reader: sync.OnceValue(open), log: ledger.NewLog(open())}
	t.Cleanup(h.log.Close)
	rig := gatetest.New(t, gatetest.WithLog(h.log), gatetest.WithEvents(h.watch), gatetest.WithSettings(s))
	h.gate, h.tracker = rig.Gate, rig.Tracker
	return h
}

func (h *rig) watch(e journal.Event) {
	b, err := json.Marshal(e.Record)
	if err != nil {
		h.t.Errorf("the record of %s is not JSON: %v", e.Name, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, event{e.Name, string(b)})
}

// published returns how often an event with that name was published.
func (h *rig) published(name string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, e := range h.events {
		if e.name == name {
			n++
		}
	}
	return n
}

// stored returns the record with that id from the file, as another process would read it, or nil.
func (h *rig) stored(id string) *mcpproxy.Record {
	h.t.Helper()
	r, err := h.reader().Get(context.Background(), id)
	if err != nil && !errors.Is(err, ledger.ErrNotFound) {
		h.t.Fatal(err)
	}
	return r
}

// call returns a tool call of the principal alice over MCP.
func call(server, tool, args string) *mcpproxy.Call {
	return &mcpproxy.Call{
		Channel:     mcpproxy.ChannelMCP,
		Kind:        mcpproxy.KindTool,
		Session:     "mcp-1",
		FlowSession: "flow-1",
		Principal:   "alice",
		Server:      server,
		Tool:        tool,
		Arguments:   json.RawMessage(args),
	}
}

// answer returns a send function that returns raw.
func answer(raw string) func(context.Context, *mcpproxy.Call) *mcpproxy.Result {
	return func(context.Context, *mcpproxy.Call) *mcpproxy.Result {
		return &mcpproxy.Result{Raw: json.RawMessage(raw)}
	}
}

// reads makes a harmless call whose result is text.
func (h *rig) reads(server, tool, text string) {
	h.t.Helper()
	r, v := h.gate.Do(context.Background(), call(server, tool, `{"path":"a"}`), answer(content(text)))
	if r == nil || v.Decision != mcpproxy.Allow {
		h.t.Fatalf("reading with %s:%s: %+v", server, tool, v)
	}
}

// does makes a call and reports whether it was sent.
func (h *rig) does(c *mcpproxy.Call) (v mcpproxy.Verdict, sent bool) {
	h.t.Helper()
	r, v := h.gate.Do(context.Background(), c, func(context.Context, *mcpproxy.Call) *mcpproxy.Result {
		sent = true
		return &mcpproxy.Result{Raw: json.RawMessage(content("ok"))}
	})
	if sent != (r != nil) {
		h.t.Errorf("sent: %v, and yet the result is %v", sent, r)
	}
	return v, sent
}

func content(text string) string {
	return `{"content":[{"type":"text","text":` + quoted(text) + `}]}`
}

func object(name, value string) string { return "{" + quoted(name) + ":" + quoted(value) + "}" }

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}
