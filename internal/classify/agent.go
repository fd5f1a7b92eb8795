package classify

import (
	"strings"
	"sync"
	"unicode"

	"mcpproxy"
	"mcpproxy/internal/agent"
)

// agentTool describes what an agent's built-in tool does.
type agentTool struct {
	side      mcpproxy.Side
	operation mcpproxy.Operation
}

// agentTools lists the built-in tools of agents (spec-027, FR-002 and FR-003), by [agentName]. Agents spell the same
// name differently: WebFetch, web_fetch, webfetch.
var agentTools = sync.OnceValue(func() map[string]agentTool {
	table := map[string]agentTool{}
	enter := func(tools agent.Tools) {
		for _, group := range []struct {
			tool  agentTool
			names []string
		}{
			{agentTool{mcpproxy.Internal, mcpproxy.Read}, tools.Reads},
			{agentTool{mcpproxy.Internal, mcpproxy.Write}, tools.Writes},
			{agentTool{mcpproxy.Internal, mcpproxy.UnknownOperation}, tools.Works},
			// The command of a shell is read by package classify/shell, and that result decides.
			{agentTool{mcpproxy.Hybrid, mcpproxy.UnknownOperation}, tools.Runs},
			{agentTool{mcpproxy.External, mcpproxy.Read}, tools.Fetches},
			{agentTool{mcpproxy.External, mcpproxy.Write}, tools.Sends},
		} {
			for _, name := range group.names {
				table[agentName(name)] = group.tool
			}
		}
	}
	enter(otherTools)
	for _, a := range agent.All() {
		enter(a.Tools)
	}
	return table
})

// otherTools lists the tools of agents that package agent does not list, such as agents made with an SDK.
var otherTools = agent.Tools{
	Reads:  []string{"get_file", "open_file", "show_file", "code_search_local", "search_tools"},
	Writes: []string{"thinking", "think", "sleep"},
	Works:  []string{"execute_sql"},
	Runs: []string{
		"container", "pwsh", "run_command", "terminal", "code_execution", "python_execute", "javascript_execute",
		"evaluate",
	},
	Fetches: []string{"fetch_url", "browse", "open_url", "search_web", "web_crawl", "x_search"},
	Sends:   []string{"share_file"},
}

// extensions returns the prefixes that agents put before the names of tools from extensions.
var extensions = sync.OnceValue(func() []string {
	var all []string
	for _, a := range agent.All() {
		all = append(all, a.Tools.Extensions...)
	}
	return all
})

// agentName returns the spelling under which agentTools lists a tool.
func agentName(name string) string {
	for _, e := range extensions() {
		name = strings.TrimPrefix(name, e)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// overMCP splits a name of the form mcp__server__tool.
func overMCP(name string) (server, tool string, ok bool) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "__")
}

// AgentTool classifies a tool of an agent: a built-in tool, or a tool that the agent calls over MCP under a name of
// the form mcp__server__tool (FR-006). An unknown built-in tool is classified by its name, like a tool of an unknown
// server.
func (c *Classifier) AgentTool(name string) mcpproxy.Class {
	if server, tool, ok := overMCP(name); ok {
		return c.Tool(server, tool, nil)
	}
	if side, ok := c.ToolOverrides[name]; ok {
		return class(side, 1, mcpproxy.ByConfig)
	}
	if t, ok := agentTools()[agentName(name)]; ok {
		return class(t.side, 0.95, mcpproxy.ByHeuristic)
	}
	return c.Tool("", name, nil)
}

// AgentOperation returns the operation of an agent's built-in tool. It is never destructive: the user and the agent
// decide what the agent may delete on the user's machine. security.tool_policy applies to servers only.
func (c *Classifier) AgentOperation(name string) mcpproxy.Operation {
	if _, tool, ok := overMCP(name); ok {
		return c.Operation(tool, nil, nil)
	}
	if t, ok := agentTools()[agentName(name)]; ok {
		return t.operation
	}
	if op := c.Operation(name, nil, nil); op != mcpproxy.Destructive {
		return op
	}
	return mcpproxy.Write
}
