package gateway_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpproxy"
)

const (
	trace = "no row 7: did you mean 'rows'?\n    at find (/galaxy/src/rows.js:12:5)\n    at async /galaxy/src/main.js:3:1"
	dsn   = "cannot reach postgres://app:s3cr3t@10.4.5.6:5432/prod"
)

// failingServer returns a server whose every request fails with an error that reveals internals.
func failingServer() *mcp.Server {
	fail := func(method string) error {
		return &jsonrpc.Error{
			Code:    -32603,
			Message: method + ": " + dsn,
			Data: json.RawMessage(
				`{"stack":"Error: x\n    at f (/galaxy/x.js:1:2)","retry":true,"big":12345678901234567890}`,
			),
		}
	}
	s := newServer("grumbler", &mcp.ServerOptions{
		CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) { return nil, fail("complete") },
	})
	add(
		s,
		"find_row",
		"Finds a row",
		func(_ context.Context, _ *mcp.CallToolRequest, in textIn) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{
				IsError: true,
				Meta:    mcp.Meta{"debug": "cwd=/galaxy/src", "n": 3},
				Content: []mcp.Content{
					&mcp.TextContent{Text: trace},
					&mcp.TextContent{Text: "looked in /galaxy/data/" + in.Text + " and " + in.Text},
					&mcp.ImageContent{MIMEType: "image/jpeg", Data: []byte("\xff\xd8\xff\xe0\x00\x10JFIF")},
				},
				StructuredContent: map[string]any{
					"password": "s3cr3t-s3cr3t",
					"host":     "10.4.5.6:5432",
					"field":    "text",
					"expected": "string",
				},
			}, nil, nil
		},
	)
	add(s, "list_rows", "Lists rows", answer("row 7 is at /galaxy/data/rows.db, see http://10.4.5.6/x"))
	s.AddPrompt(
		&mcp.Prompt{Name: "moan"},
		func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return nil, fail("prompt") },
	)
	s.AddResource(
		&mcp.Resource{URI: "rows://7", Name: "seven"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return nil, fail("rows://7 and rows://8")
		},
	)
	return s
}

func TestErrorsOfServersAreRedacted(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.txtar")
	if err != nil || len(files) < 2 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			r := newRig(
				t,
				setup{name: "old", server: failingServer()},
				setup{name: "modern", server: failingServer(), modern: true},
			)
			playTranscript(t, r, file)
			for _, rec := range r.recorded() {
				if rec.ToolName == "find_rows" { // this error contains no internals
					continue
				}
				if !rec.Metadata.ErrorRedacted && rec.Status == mcpproxy.StatusError {
					t.Errorf("%s %s does not say that the agent read less", rec.ServerName, rec.ToolName)
				}
				s := string(rec.Response)
				if rec.Status == mcpproxy.StatusError &&
					(!strings.Contains(s, "/galaxy/") || strings.Contains(s, "s3cr3t@")) {
					t.Errorf("the log of %s has %s", rec.ToolName, s)
				}
			}
		})
	}
}

func TestErrorsStayAsTheyAreWhereTheOwnerWantsThemSo(t *testing.T) {
	r := newRig(t, setup{name: "old", server: failingServer()})
	s := settings(tables())
	s.RawErrors = true
	r.gate.Configure(s)
	resp, _ := r.stateful("/mcp/all", "2025-06-18", "{}").
		call("1", "tools/call", `{"name":"old__find_row","arguments":{"text":"x"}}`).
		response()
	if !strings.Contains(string(resp.Raw), "/galaxy/src/rows.js:12:5") {
		t.Errorf("got %s", resp.Raw)
	}
}
