package bridge_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpproxy"
	"mcpproxy/internal/bridge"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/gatetest"
	"mcpproxy/internal/gateway"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

const patience = 30 * time.Second

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	os.Exit(m.Run())
}

// daemon is a gateway with one server, which can be restarted.
type daemon struct {
	t                  *testing.T
	url, back          string
	server             *mcp.Server
	started, cancelled chan struct{}
	gets               atomic.Int32                 // standing streams that were opened
	last               atomic.Pointer[http.Request] // last request seen

	mu   sync.Mutex
	gw   *gateway.Gateway
	stop func()
}

type in struct {
	Text string `json:"text,omitempty"`
}

func newDaemon(t *testing.T) *daemon {
	t.Helper()
	d := &daemon{t: t, started: make(chan struct{}, 9), cancelled: make(chan struct{}, 9)}
	d.server = mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	add := func(name string, f func(context.Context, *mcp.CallToolRequest, in) string) {
		mcp.AddTool(
			d.server,
			&mcp.Tool{Name: name},
			func(ctx context.Context, req *mcp.CallToolRequest, in in) (*mcp.CallToolResult, any, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: f(ctx, req, in)}}}, nil, nil
			},
		)
	}
	add("echo", func(_ context.Context, _ *mcp.CallToolRequest, in in) string { return "you said " + in.Text })
	add("sleep", func(ctx context.Context, _ *mcp.CallToolRequest, _ in) string {
		d.started <- struct{}{}
		select {
		case <-ctx.Done():
			d.cancelled <- struct{}{}
		case <-time.After(patience):
		}
		return "woke"
	})
	add("ask", func(ctx context.Context, req *mcp.CallToolRequest, _ in) string {
		res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Really?"})
		if err != nil {
			return err.Error()
		}
		return res.Action
	})
	back := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return d.server }, nil))
	t.Cleanup(func() { back.CloseClientConnections(); back.Close() })
	d.back = back.URL
	d.open()
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.last.Store(r)
		if r.Method == http.MethodGet {
			defer d.gets.Add(-1)
			d.gets.Add(1)
		}
		d.gateway().ServeHTTP(w, r)
	}))
	t.Cleanup(func() { d.stop(); front.CloseClientConnections(); front.Close() })
	d.url = front.URL
	return d
}

// open starts a gateway without sessions.
func (d *daemon) open() {
	g := gatetest.New(d.t, gatetest.WithLog(ledgertest.Discard{}), gatetest.WithSettings(gate.Settings{
		Classifier:      classify.Classifier{DefaultUnknown: mcpproxy.Internal},
		Tables:          policy.Tables{},
		Detector:        gatetest.Detector(),
		MaxResponseSize: 1000,
	})).Gate
	servers := upstream.NewManager(func(*upstream.Server) {}, func(s *upstream.Server, m *wire.Message) {
		if gw := d.gateway(); gw != nil {
			gw.Notified(s.Name(), m)
		}
	})
	gw := gateway.New(g, servers, catalog.New(), nil, gateway.Options{})
	servers.Apply([]upstream.Spec{{
		Name:     "notes",
		Enabled:  true,
		Protocol: upstream.HTTP,
		URL:      d.back,
	}})
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gw, d.stop = gw, func() {
		gw.Close()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		servers.Close(ctx)
	}
}

func (d *daemon) gateway() *gateway.Gateway {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.gw
}

// restart replaces the gateway with one without sessions.
func (d *daemon) restart(t *testing.T) {
	t.Helper()
	stop := d.stop
	d.open()
	stop()
}

func (d *daemon) addTool(name string) {
	mcp.AddTool(
		d.server,
		&mcp.Tool{Name: name},
		func(context.Context, *mcp.CallToolRequest, in) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{}, nil, nil
		},
	)
}

// untilListening waits for the agent's standing stream, and for the one between the gateway and the server.
func (d *daemon) untilListening(t *testing.T) {
	t.Helper()
	eventually.True(t, "a standing stream is opened", func() bool { return d.gets.Load() > 0 })
	time.Sleep(200 * time.Millisecond)
}

// agent is the agent's end of a bridge.
type agent struct {
	t      *testing.T
	daemon *daemon
	in     io.WriteCloser
	lines  chan []byte
	ended  chan error
}

func (d *daemon) agent(path string) *agent {
	d.t.Helper()
	a := start(d.t, &bridge.Bridge{HTTP: &http.Client{}, URL: d.url + path})
	a.daemon = d
	return a
}

func start(t *testing.T, b *bridge.Bridge) *agent {
	t.Helper()
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	a := &agent{
		t:     t,
		in:    in,
		lines: make(chan []byte, 100),
		ended: make(chan error, 1),
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { a.ended <- b.Run(ctx, stdin, stdout) }()
	go func() {
		r := bufio.NewReader(out)
		for {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			a.lines <- line
		}
	}()
	t.Cleanup(func() { cancel(); in.Close(); out.Close() })
	return a
}

func (a *agent) send(line string) {
	a.t.Helper()
	if _, err := io.WriteString(a.in, line+"\n"); err != nil {
		a.t.Fatal(err)
	}
}

// next returns the next message for the agent.
func (a *agent) next() *wire.Message {
	a.t.Helper()
	select {
	case line := <-a.lines:
		if m, err := wire.Parse(line); err == nil {
			return m
		}
		if !json.Valid(line) {
			a.t.Fatalf("no message: %.200s", line)
		}
		return &wire.Message{Raw: line, Error: wire.Member(line, "error")}
	case <-time.After(patience):
		a.t.Fatal("no message came")
		return nil
	}
}

// answer returns the next message, which must answer a request.
func (a *agent) answer(id string) *wire.Message {
	a.t.Helper()
	m := a.next()
	if string(m.ID) != id {
		a.t.Fatalf("an answer to %s is wanted: %.300s", id, m.Raw)
	}
	return m
}

func (a *agent) initialize() *wire.Message {
	a.t.Helper()
	a.send(
		`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}`,
	)
	m := a.answer(`"hello"`)
	a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return m
}

// modern returns a request of revision 2026-07-28.
func modern(id, method, params string) string {
	p := wire.Set([]byte(params), []byte(`"`+wire.Latest+`"`), "_meta", wire.MetaVersion)
	return string(wire.NewRequest([]byte(id), method, wire.Set(p, []byte("{}"), "_meta", wire.MetaCapabilities)).Raw)
}

func wait(t *testing.T, c chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience / 2):
		t.Fatal("waited in vain for " + what)
	}
}
