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

// agentTools are the tools that agents bring themselves (spec-027, FR-002 and
// FR-003), by [agentName]. Agents differ in the spelling of a name alone: WebFetch,
// web_fetch, webfetch.
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
			// A shell's command is read on its own (classify/shell), and decides.
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

// otherTools are tools of agents that are not listed, such as those made with an SDK.
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

// extensions begin the names of tools that agents bring as extensions of their own.
var extensions = sync.OnceValue(func() []string {
	var all []string
	for _, a := range agent.All() {
		all = append(all, a.Tools.Extensions...)
	}
	return all
})

// agentName is a tool's name as it stands in the table.
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

// AgentTool classifies an agent's own tool, or one it reaches over MCP under a
// name of the form mcp__server__tool (FR-006). A tool of an agent that is not
// listed is judged by its name, like one of a server that says nothing.
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

// AgentOperation says what an agent's own tool does to the world. Such a tool
// never counts as destructive: what an agent may delete on its user's machine is
// between the two, and security.tool_policy is about servers.
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
