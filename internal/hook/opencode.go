package hook

import (
	"slices"
	"strings"

	"mcpproxy/internal/agent"
)

// opencode is opencode. Its hooks are functions of a plugin. The plugin that mcpproxy installs runs
// the same command as the hooks of other agents, with the payload that is read here, and throws the
// reason of a deny.
//
// Source: the plugin page of opencode, and observed calls of its plugins.
var opencode = &dialect{
	name: agent.OpenCode,
	events: map[string]Kind{
		"tool.execute.before": PreTool,
		"tool.execute.after":  PostTool,
		"chat.message":        Prompt,
		"session.created":     SessionStart,
		"session.deleted":     SessionEnd,
	},
	fields: fields{
		event:    []string{"event"},
		session:  []string{"sessionID"},
		tool:     []string{"tool"},
		call:     []string{"callID"},
		input:    []string{"args"},
		response: []string{"output"},
		prompt:   []string{"prompt"},
		cwd:      []string{"directory"},
	},
	split: opencodeTool,
	tell:  blockReply,
}

// opencodeOwn are the built-in tools whose names contain an underscore.
var opencodeOwn = []string{"apply_patch", "plan_enter", "plan_exit"}

// opencodeTool splits server_tool after a known server name, or else at the first underscore.
func opencodeTool(tool string, _ payload, servers []string) (string, string) {
	if slices.Contains(opencodeOwn, tool) {
		return "", tool
	}
	if server, name, ok := cutServer(tool, "_", servers); ok {
		return server, name
	}
	if server, name, ok := strings.Cut(tool, "_"); ok && server != "" && name != "" {
		return server, name
	}
	return "", tool
}
