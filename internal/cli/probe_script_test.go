package cli

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"mcpproxy/internal/api"
	"mcpproxy/internal/remote"
)

// overHTTP starts an MCP server over HTTP that runs until the script ends, and sets URL to its address. With the word
// echo it returns its arguments. The file "client" contains the name of the last client that connected.
func overHTTP(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	type input struct {
		Title string `json:"title"`
	}
	greeted := func(_ context.Context, r *mcp.InitializedRequest) {
		c := r.Session.InitializeParams().ClientInfo
		_ = os.WriteFile(ts.MkAbs("client"), []byte(c.Name+" "+c.Version+"\n"), 0o600) // otherwise the script would fail
	}
	server := mcp.NewServer(
		&mcp.Implementation{Name: "notes", Version: "1"},
		&mcp.ServerOptions{InitializedHandler: greeted},
	)
	mcp.AddTool(
		server,
		&mcp.Tool{Name: "read_note", Description: "Reads a note."},
		func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
			if len(args) > 0 && args[0] == "echo" {
				return &mcp.CallToolResult{
					Content: []mcp.Content{&mcp.TextContent{Text: "the note " + in.Title}},
				}, nil, nil
			}
			return &mcp.CallToolResult{
				Content: []mcp.Content{&mcp.TextContent{Text: "there is no such note"}},
			}, nil, nil
		},
	)
	s := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	ts.Defer(func() { s.CloseClientConnections(); s.Close() })
	ts.Setenv("URL", s.URL)
}

// posted PATH FILE [tcp] [HEADER VALUE…] sends a file to the daemon, over its socket or over TCP, and prints the
// status and the answer. It replaces $URL in the file.
func posted(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	body := strings.ReplaceAll(ts.ReadFile(args[1]), "$URL", ts.Getenv("URL"))
	c := socketClient(ts)
	base := "http://localhost"
	rest := args[2:]
	if len(rest) > 0 && rest[0] == "tcp" {
		var status api.Overview
		ts.Check(newClientOver(c).Get(context.Background(), "/api/v1/status", nil, &status))
		c = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		base = "http://" + status.Listen
		rest = rest[1:]
	}
	req, err := http.NewRequest(http.MethodPost, base+args[0], bytes.NewReader([]byte(body)))
	ts.Check(err)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(rest); i += 2 {
		req.Header.Set(rest[i], rest[i+1])
	}
	resp, err := c.Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("answer"), append([]byte(resp.Status+"\n"), answer...), 0o600))
}

func newClientOver(c *http.Client) *remote.Client {
	return &remote.Client{Http: c, Base: "http://localhost"}
}
