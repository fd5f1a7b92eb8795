package hook

import (
	"slices"
	"strings"

	"mcpproxy/internal/agent"
)

// goose is Goose. The decision "block" stops a tool. Goose cannot ask its user.
//
// Source: the hooks guide of Goose.
var goose = &dialect{
	name:   agent.Goose,
	events: claudeEvents,
	fields: fields{
		event:    []string{"event", "hook_event_name"},
		session:  []string{"session_id"},
		tool:     []string{"tool_name"},
		call:     []string{"tool_call_id"},
		input:    []string{"tool_input"},
		response: []string{"tool_response", "tool_output", "output", "error"},
		prompt:   []string{"message", "prompt"},
		cwd:      []string{"working_dir", "cwd"},
	},
	split: gooseTool,
	tell:  blockReply,
}

// gooseOwn are the extensions that are part of Goose.
var gooseOwn = []string{"platform", "todo", "skills", "extensionmanager", "chatrecall", "summon", "analyze"}

// gooseTool splits extension__tool. The tools of the built-in developer extension keep their own
// name, as in other agents.
func gooseTool(tool string, _ payload, servers []string) (string, string) {
	if name, ok := strings.CutPrefix(tool, "developer__"); ok && name != "" {
		return "", name
	}
	if server, name, ok := cutServer(tool, "__", servers); ok {
		return server, name
	}
	server, name, ok := strings.Cut(tool, "__")
	if !ok || server == "" || name == "" || slices.Contains(gooseOwn, server) {
		return "", tool
	}
	return server, name
}
