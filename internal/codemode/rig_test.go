package codemode_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/codemode"
	"mcpproxy/internal/codemode/worker"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/gatetest"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/wire"
)

// TestMain makes this binary the worker, as mcpproxy is, or a host that does not notice the end of its script.
func TestMain(m *testing.M) {
	if code, ok := worker.Main(os.Args[1:]); ok {
		os.Exit(code)
	}
	if len(os.Args) == 2 && os.Args[1] == hostThatDies {
		dieAsHost()
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	os.Exit(m.Run())
}

// rig is a host whose servers are functions.
type rig struct {
	t    testing.TB
	host *codemode.Host
	gate *gate.Gate

	log *ledgertest.Memory

	mu     sync.Mutex
	sent   []string // calls that reached a server, as server:tool
	folder string   // of stored scripts
	tool   func(ctx context.Context, call *mcpproxy.Call) (string, error)
}

// recorded returns the records so far.
func (r *rig) recorded() []*mcpproxy.Record { return r.log.Records() }

// reached returns how often a tool was called.
func (r *rig) reached(name string) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.sent {
		if s == name {
			n++
		}
	}
	return n
}

func (r *rig) send(ctx context.Context, call *mcpproxy.Call) *mcpproxy.Result {
	r.mu.Lock()
	r.sent = append(r.sent, call.Server+":"+call.Tool)
	r.mu.Unlock()
	raw, err := r.tool(ctx, call)
	if err != nil {
		return &mcpproxy.Result{Err: err}
	}
	return &mcpproxy.Result{Raw: []byte(raw), IsError: string(wire.Member([]byte(raw), "isError")) == "true"}
}

// newRig returns a host with the servers vault, db, slack and notes. Their tool echo returns its arguments.
func newRig(t testing.TB, change func(*codemode.Limits), engine codemode.Engine) *rig {
	t.Helper()
	return newRigWith(t, change, engine, nil, gate.Settings{})
}

// newRigWith is newRig with the given settings of the gate. If log is not nil, the gate writes to it.
func newRigWith(
	t testing.TB,
	change func(*codemode.Limits),
	engine codemode.Engine,
	log journal.Log,
	s gate.Settings,
) *rig {
	t.Helper()
	r := &rig{t: t, tool: func(_ context.Context, call *mcpproxy.Call) (string, error) {
		return `{"content":[],"structuredContent":` + string(call.Arguments) + `}`, nil
	}}
	c := catalog.New()
	for _, s := range []string{"vault", "db", "slack", "notes"} {
		var raws []json.RawMessage
		for _, tool := range []string{"echo", "then", "__proto__", "wait", "fail"} {
			raws = append(
				raws,
				json.RawMessage(
					`{"name":"`+tool+`","description":"Does */ what it says","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}`,
				),
			)
		}
		c.Set(s, raws)
	}
	options := []gatetest.Option{gatetest.WithSettings(s)}
	if log != nil {
		options = append(options, gatetest.WithLog(log))
	}
	gated := gatetest.New(t, options...)
	r.gate, r.log = gated.Gate, gated.Log
	if engine == nil {
		path, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		engine = codemode.NewProcesses(path)
	}
	l := codemode.DefaultLimits()
	l.Enabled, l.Timeout = true, time.Minute
	if change != nil {
		change(&l)
	}
	r.host = codemode.New(codemode.Sources{
		Gate:    r.gate,
		Catalog: c,
		Engine:  engine,
		Send:    r.send,
		Servers: func() []string { return []string{"vault", "db", "slack", "notes"} },
		Stored:  func() string { return r.folder },
	}, l)
	t.Cleanup(r.host.Close)
	return r
}

// ran is the result of an execution.
type ran struct {
	Value   json.RawMessage   `json:"result"`
	Error   *codemode.Failure `json:"error"`
	Console string            `json:"console"`
	Calls   int               `json:"tool_calls"`
}

func (r *rig) run(code string) ran { return r.runIn("s1", code) }

// runIn runs a script in a flow session.
func (r *rig) runIn(session, code string) (out ran) {
	r.t.Helper()
	result, v := r.execute(context.Background(), session, code)
	if result == nil {
		r.t.Fatalf("the script was stopped: %s", v.Reason)
	}
	if err := json.Unmarshal(wire.Member(result.Raw, "structuredContent"), &out); err != nil {
		r.t.Fatalf("%v: %s", err, result.Raw)
	}
	return out
}

func (r *rig) execute(ctx context.Context, session, code string) (*mcpproxy.Result, mcpproxy.Verdict) {
	args, err := json.Marshal(map[string]string{"code": code})
	if err != nil {
		r.t.Error(err)
	}
	return r.host.Execute(ctx, &mcpproxy.Call{
		Principal:   "local",
		FlowSession: session,
		Tool:        "execute",
		Arguments:   args,
	}, nil)
}

// all is a scope that permits everything.
func all(*mcpproxy.Tool) bool { return true }

// gives runs a script and compares its result.
func (r *rig) gives(code, want string) {
	r.t.Helper()
	got := r.run(code)
	if got.Error != nil || string(got.Value) != want {
		r.t.Errorf("%s\ngave %s, %+v; wanted %s\nconsole: %s", code, got.Value, got.Error, want, got.Console)
	}
}

// fails runs a script and compares its error.
func (r *rig) fails(code string, want mcpproxy.Code, says string) ran {
	r.t.Helper()
	got := r.run(code)
	if got.Error == nil || got.Error.Code != want || !strings.Contains(got.Error.Message, says) {
		r.t.Errorf("%s\ngave %s, %+v; wanted %s (%s)", code, got.Value, got.Error, want, says)
	}
	return got
}
