package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// agents SERVER TOOL PROMPT writes into the file "seen" what agents see on each endpoint: one line for each endpoint
// that lists the tool or the prompt, or that calls the tool.
func agents(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	server := args[0]
	tool := args[1]
	prompt := args[2]
	var out []string
	open := func(path string) *mcp.ClientSession {
		client := mcp.NewClient(&mcp.Implementation{Name: "script", Version: "1"}, nil)
		s, err := client.Connect(
			ctx,
			&mcp.StreamableClientTransport{Endpoint: "http://localhost" + path, HTTPClient: socketClient(ts)},
			nil,
		)
		ts.Check(err)
		return s
	}
	shows := func(what string, v any, err error) {
		raw, encErr := json.Marshal(v)
		if err = errors.Join(err, encErr); err != nil {
			out = append(out, fmt.Sprintf("%s: error %v", what, err))
			return
		}
		out = append(out, what+": "+string(raw))
	}
	call := func(s *mcp.ClientSession, what, name string, arguments any) {
		res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
		shows(what, res, err)
	}
	own := open("/mcp")
	all := open("/mcp/all")
	one := open("/mcp/s/" + server)
	for _, s := range []*mcp.ClientSession{own, all, one} {
		defer s.Close()
	}
	full := server + ":" + tool
	call(own, "retrieve_tools", "retrieve_tools", map[string]any{"query": tool})
	call(own, "describe_tool", "describe_tool", map[string]any{"name": full})
	for _, op := range []string{"read", "write", "destructive"} {
		call(own, "call_tool_"+op, "call_tool_"+op, map[string]any{"name": full})
	}
	call(own, "/mcp call", full, map[string]any{})
	tools, err := all.ListTools(ctx, nil)
	shows("/mcp/all list", tools, err)
	call(all, "/mcp/all call", server+"__"+tool, map[string]any{})
	tools, err = one.ListTools(ctx, nil)
	shows("/mcp/s list", tools, err)
	call(one, "/mcp/s call", tool, map[string]any{})
	prompts, err := one.ListPrompts(ctx, nil)
	shows("/mcp/s prompts", prompts, err)
	got, err := one.GetPrompt(ctx, &mcp.GetPromptParams{Name: prompt})
	shows("/mcp/s prompt", got, err)
	shows("/mcp/s greeting", one.InitializeResult().Instructions, nil)
	ts.Check(os.WriteFile(ts.MkAbs("seen"), []byte(strings.Join(out, "\n")+"\n"), 0o600))
}
