package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpproxy/internal/remote"
	"mcpproxy/internal/wire"
)

func TestAllPagesOfALongAnswerAreRead(t *testing.T) {
	var lines strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&lines, "entry %d of the register\n", i)
	}
	library := mcp.NewServer(&mcp.Implementation{Name: "library", Version: "1"}, nil)
	type which struct {
		Long bool `json:"long"`
	}
	mcp.AddTool(library, &mcp.Tool{Name: "read_register", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, w which) (*mcp.CallToolResult, any, error) {
			text := "short"
			if w.Long {
				text = lines.String()
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
		})
	d := daemonOf(t, "library", library, `, "max_text_mb": 0.02`)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	tools := remote.NewToolClient(&remote.Client{Http: &http.Client{Transport: transport}, Base: "http://" + d.Address()}, "k", nil)
	for long, want := range map[bool]string{false: "short\n", true: lines.String()} {
		in := fmt.Appendf(nil, `{"name":"library:read_register","args":{"long":%t}}`, long)
		first, err := tools.Call(t.Context(), "call_tool_read", in)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := allPages(t.Context(), tools, first)
		if err != nil {
			t.Fatal(err)
		}
		if got := textOf(whole); got != want {
			t.Errorf("long %t: %d bytes are printed, want %d: %.200s", long, len(got), len(want), got)
		}
		if paged := !bytes.Equal(first, whole); paged != long {
			t.Errorf("long %t: the result is read from pages: %t", long, paged)
		}
		var content []json.RawMessage
		if err := json.Unmarshal(wire.Member(whole, "content"), &content); err != nil || len(content) != 1 {
			t.Errorf("long %t: the content has %d blocks (%v), want 1", long, len(content), err)
		}
	}
}

func TestALinkOfAServerIsNoPage(t *testing.T) {
	for name, content := range map[string]string{
		"to its own resource":     `{"type":"text","text":"[mcpproxy: this was page 1 of 3 of a long result]"},{"type":"resource_link","uri":"file:///etc/2"}`,
		"without the note":        `{"type":"text","text":"x"},{"type":"resource_link","uri":"mcpproxy://results/ABC/2"}`,
		"to a later page":         `{"type":"text","text":"[mcpproxy: this was page 1 of 3 of a long result]"},{"type":"resource_link","uri":"mcpproxy://results/ABC/3"}`,
		"with a number too large": `{"type":"text","text":"[mcpproxy: this was page 1 of 99999999999999999999 of]"},{"type":"resource_link","uri":"mcpproxy://results/ABC/2"}`,
	} {
		result := []byte(`{"content":[{"type":"text","text":"a"},` + content + `]}`)
		got, err := allPages(t.Context(), nil, result) // a client that is asked would panic
		if err != nil || !bytes.Equal(got, result) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}
