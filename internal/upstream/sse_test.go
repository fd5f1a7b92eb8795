package upstream_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpproxy"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// sseSpec reaches handler over the older transport.
func sseSpec(t *testing.T, handler http.Handler) upstream.Spec {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return upstream.Spec{
		Name:     "fake",
		Enabled:  true,
		Protocol: upstream.SSE,
		URL:      s.URL + "/sse",
		Headers:  map[string]string{"Authorization": "Bearer configured"},
		Timeout:  patience,
	}
}

// sdkServer returns the SDK's own server for the older transport. Its tool hang counts cancelled calls.
func sdkServer(cancelled *atomic.Int32) http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "legacy", Version: "1"}, nil)
	schema := map[string]any{"type": "object"}
	server.AddTool(
		&mcp.Tool{Name: "echo", InputSchema: schema},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(r.Params.Arguments)}}}, nil
		},
	)
	server.AddTool(
		&mcp.Tool{Name: "hang", InputSchema: schema},
		func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			<-ctx.Done()
			cancelled.Add(1)
			return nil, ctx.Err()
		},
	)
	sse := mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer configured" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		sse.ServeHTTP(w, r)
	})
}

func TestLegacySSE(t *testing.T) {
	t.Parallel()
	var cancelled atomic.Int32
	spec := sseSpec(t, sdkServer(&cancelled))
	spec.Timeout = 2 * time.Second
	s, _ := start(t, spec)
	const arguments = `{"n":12345678901234567890,"s":"A"}`
	resp, err := askWith(t, s, tool("echo", arguments), nil)
	if err != nil || !strings.Contains(string(resp.Result), `12345678901234567890`) || string(resp.ID) != `"agent-7"` {
		t.Fatalf("got %v, %v", resp, err)
	}
	tools, err := s.ListTools(t.Context())
	if err != nil || len(tools) != 2 {
		t.Errorf("tools %s, %v", tools, err)
	}
	if _, err := ask(t, s, "hang"); mcpproxy.CodeOf(err) != mcpproxy.CodeTimeout {
		t.Errorf("got %v", err)
	}
	eventually.True(t, "the call is cancelled upstream", func() bool { return cancelled.Load() == 1 })
	works(t, s)
}

func TestALegacyStreamThatEndsIsReplaced(t *testing.T) {
	t.Parallel()
	var cancelled atomic.Int32
	handler := sdkServer(&cancelled)
	streams := make(chan context.CancelFunc, 10)
	s, _ := start(t, sseSpec(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			streams <- cancel
			r = r.WithContext(ctx)
		}
		handler.ServeHTTP(w, r)
	})))
	works(t, s)
	link, err := s.Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	(<-streams)()
	select {
	case <-link.Done():
	case <-time.After(patience):
		t.Fatal("the link of an ended stream stays")
	}
	works(t, s)
}

// A server that accepts the connection and then sends nothing does not block its callers.
func TestASilentLegacyServerBlocksNoCaller(t *testing.T) {
	t.Parallel()
	s, _ := start(
		t,
		sseSpec(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })),
	)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := s.Shared(ctx)
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil {
			t.Error("connected to a server that says nothing")
		}
	case <-time.After(patience / 2):
		t.Errorf("a caller that wanted to wait 300ms is still waiting after %s", patience/2)
	}
}

// The stream of a legacy server says where to send messages. Data and
// credentials must not follow it to another host.
func TestALegacyEndpointOnAnotherHostIsRefused(t *testing.T) {
	t.Parallel()
	var visits atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visits.Add(1) }))
	t.Cleanup(other.Close)
	spec := sseSpec(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "event: endpoint\ndata: %s/messages\n\n", other.URL)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	spec.Timeout = 2 * time.Second
	s, _ := start(t, spec)
	if _, err := s.Shared(t.Context()); mcpproxy.CodeOf(err) != mcpproxy.CodeUpstream {
		t.Errorf("got %v", err)
	}
	if n := visits.Load(); n != 0 {
		t.Errorf("the other host got %d requests", n)
	}
}

// A message that cannot be parsed ends only its own call.
func TestAMalformedLegacyMessageEndsOnlyItsOwnCall(t *testing.T) {
	t.Parallel()
	var got atomic.Pointer[chan string]
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sse", func(w http.ResponseWriter, r *http.Request) {
		out := make(chan string, 10)
		got.Store(&out)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "event: endpoint\ndata: /messages\n\n")
		for {
			w.(http.Flusher).Flush()
			select {
			case s := <-out:
				fmt.Fprintf(w, "event: message\ndata: %s\n\n", s)
			case <-r.Context().Done():
				return
			}
		}
	})
	mux.HandleFunc("POST /messages", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		*got.Load() <- legacyAnswer(r)
	})
	s, _ := start(t, sseSpec(t, mux))
	works(t, s)
	link, err := s.Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := link.Call(t.Context(), tool("duplicate", "{}"), upstream.CallOptions{}); mcpproxy.CodeOf(err) != mcpproxy.CodeMalformed {
		t.Errorf("duplicate keys: %v", err)
	}
	if _, err := link.Call(t.Context(), tool("garbage", "{}"), upstream.CallOptions{}); err != nil {
		t.Errorf("an unreadable event broke the call beside it: %v", err)
	}
	if _, err := link.Call(t.Context(), tool("echo", "{}"), upstream.CallOptions{}); err != nil {
		t.Errorf("an unreadable event broke the link: %v", err)
	}
}

// legacyAnswer returns the answer of a faulty legacy server to a request.
func legacyAnswer(r *http.Request) string {
	body := make([]byte, 64<<10)
	n, _ := r.Body.Read(body)
	m, err := wire.Parse(body[:n])
	if err != nil || m.ID == nil {
		return `{"jsonrpc":"2.0","method":"notifications/message"}`
	}
	result := `{}`
	switch wire.String(m.Params, "name") {
	case "duplicate":
		result = `{"a":1,"a":2}`
	case "garbage":
		return "this is no message\n\nevent: message\ndata: " + fmt.Sprintf(
			`{"jsonrpc":"2.0","id":%s,"result":{}}`,
			m.ID,
		)
	}
	switch m.Method {
	case "initialize":
		result = `{"protocolVersion":"2024-11-05","capabilities":{}}`
	case "server/discover":
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}
