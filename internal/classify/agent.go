package classify

import (
	"strings"

	"mcpproxy"
)

// agentTools are the tools that agents bring themselves (spec-027, FR-002 and
// FR-003), under the names of today's agents.
var agentTools = map[string]mcpproxy.Side{
	"Read": mcpproxy.Internal, "Write": mcpproxy.Internal, "Edit": mcpproxy.Internal,
	"Glob": mcpproxy.Internal, "Grep": mcpproxy.Internal,
	"Bash": mcpproxy.Hybrid, "WebFetch": mcpproxy.External, "WebSearch": mcpproxy.External,
	"Task": mcpproxy.Internal, "Agent": mcpproxy.Internal,
}

// AgentTool classifies an agent's own tool, or one it reaches over MCP under a
// name of the form mcp__server__tool (FR-006). A tool of an agent that is not
// listed is judged by its name, like one of a server that says nothing.
func (c *Classifier) AgentTool(name string) mcpproxy.Class {
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		if server, tool, ok := strings.Cut(rest, "__"); ok {
			return c.Tool(server, tool, nil)
		}
	}
	if side, ok := c.ToolOverrides[name]; ok {
		return class(side, 1, mcpproxy.ByConfig)
	}
	if side, ok := agentTools[name]; ok {
		return class(side, 0.95, mcpproxy.ByHeuristic)
	}
	return c.Tool("", name, nil)
}
