package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpproxy/internal/api"
)

// busy returns an MCP server with one tool that works until its caller gives up, and a channel that reports its calls.
func busy(t *testing.T) (url string, called <-chan struct{}) {
	t.Helper()
	calls := make(chan struct{}, 100)
	server := mcp.NewServer(&mcp.Implementation{Name: "busy", Version: "1"}, nil)
	mcp.AddTool(
		server,
		&mcp.Tool{Name: "read_note", Description: "Reads a note."},
		func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
			calls <- struct{}{}
			<-ctx.Done()
			return nil, nil, ctx.Err()
		},
	)
	s := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL, calls
}

func TestTheKillSwitchEndsAProbeThatRuns(t *testing.T) {
	r := newRig(t)
	url, called := busy(t)
	answered := make(chan answer)
	body := `{"target_mode":"mcp","mcp_server_url":"` + url + `","tests":["T5"],"options":{"mcp":{"call_timeout_ms":600000}}}`
	go func() { answered <- r.post("/api/v1/probe/run", body, nil) }()
	<-called
	if _, err := r.kill.Set(true, "test"); err != nil {
		t.Fatal(err)
	}
	var report api.ProbeReport
	if (<-answered).data(t, &report); !report.Partial || !strings.Contains(report.PartialReason, "kill switch") {
		t.Errorf("the report is %+v", report.Results)
	}
	a := r.post("/api/v1/probe/run", body, nil)
	if a.status != http.StatusConflict || !strings.Contains(a.body, "kill switch") {
		t.Errorf("the next probe: %d %s", a.status, a.body)
	}
	select {
	case <-called:
		t.Error("something was called although the kill switch is on")
	default:
	}
}
