package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcpproxy/internal/eventually"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// modeVariable makes this test binary a misbehaving MCP server on stdio.
const modeVariable = "TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	if code, launched := upstream.Launched(os.Args); launched {
		os.Exit(code)
	}
	if mode := os.Getenv(modeVariable); mode != "" {
		serve(mode)
		return
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	code := m.Run()
	upstream.CloseIdleConnections()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, "goroutines are left:", err)
		code = 1
	}
	os.Exit(code)
}

// patience is how long a test waits for an event that should occur at once.
const patience = 20 * time.Second

// stdioSpec returns this binary as a server.
func stdioSpec(t *testing.T, mode string) upstream.Spec {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return upstream.Spec{
		Name:     "fake",
		Enabled:  true,
		Protocol: upstream.Stdio,
		Command:  exe,
		Env:      map[string]string{modeVariable: mode},
		Timeout:  patience,
	}
}

// start runs a manager with the one server of spec until the test ends.
func start(t *testing.T, spec upstream.Spec) (*upstream.Server, *upstream.Manager) {
	t.Helper()
	m := upstream.NewManager(func(*upstream.Server) {}, func(*upstream.Server, *wire.Message) {})
	m.Apply([]upstream.Spec{spec})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		m.Close(ctx)
	})
	s, ok := m.Get(spec.Name)
	if !ok {
		t.Fatal("the manager does not know its server")
	}
	return s, m
}

// tool returns a tools/call request with the id of an imaginary agent.
func tool(name, arguments string) *wire.Message {
	params := `{"name":` + string(wire.Quote(name)) + `,"arguments":` + arguments + `}`
	return wire.NewRequest([]byte(`"agent-7"`), "tools/call", []byte(params))
}

// ask calls a tool over the shared link.
func ask(t *testing.T, s *upstream.Server, name string) (*wire.Message, error) {
	t.Helper()
	return askWith(t, s, tool(name, "{}"), nil)
}

func askWith(t *testing.T, s *upstream.Server, req *wire.Message, events func(*wire.Message)) (*wire.Message, error) {
	t.Helper()
	link, err := s.Shared(t.Context())
	if err != nil {
		t.Fatalf("no link: %v", err)
	}
	return link.Call(t.Context(), req, upstream.CallOptions{Events: events})
}

// works fails the test unless the server answers an ordinary call. It retries for a moment, in which a link may notice
// that it is broken.
func works(t *testing.T, s *upstream.Server) {
	t.Helper()
	eventually.Succeeds(t, "a plain call works", func() error {
		link, err := s.Shared(t.Context())
		if err != nil {
			return err
		}
		resp, err := link.Call(t.Context(), tool("echo", "{}"), upstream.CallOptions{})
		if err == nil && resp.Result == nil {
			err = fmt.Errorf("the answer is %s", resp.Raw)
		}
		return err
	})
}

// decode parses a result into v.
func decode(t *testing.T, resp *wire.Message, err error, v any) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(resp.Result, v); err != nil {
		t.Fatalf("%v in %s", err, resp.Raw)
	}
}
