package hook

import (
	"encoding/json"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/agent"
)

// cursor is Cursor. Its older events put their arguments next to the event's name instead of into
// tool_input.
//
// Source: the hooks page of Cursor.
var cursor = &dialect{
	name: agent.Cursor,
	events: map[string]Kind{
		"preToolUse":           PreTool,
		"beforeShellExecution": PreTool,
		"beforeMCPExecution":   PreTool,
		"beforeReadFile":       PreTool,
		"postToolUse":          PostTool,
		"afterShellExecution":  PostTool,
		"afterMCPExecution":    PostTool,
		"afterFileEdit":        PostTool,
		"postToolUseFailure":   PostToolFailure,
		"beforeSubmitPrompt":   Prompt,
		"sessionStart":         SessionStart,
		"sessionEnd":           SessionEnd,
	},
	fields: fields{
		event:    []string{"hook_event_name"},
		session:  []string{"conversation_id", "session_id"},
		tool:     []string{"tool_name"},
		call:     []string{"tool_use_id"},
		input:    []string{"tool_input"},
		response: []string{"tool_output", "result_json", "output", "error_message", "error"},
		prompt:   []string{"prompt"},
		cwd:      []string{"cwd"},
	},
	split:  cursorTool,
	finish: cursorOlder,
	asks: func(e Event) bool {
		return e.Name == "beforeShellExecution" || e.Name == "beforeMCPExecution"
	},
	tell: func(_ Event, d mcpproxy.Decision, reason string) Reply {
		return say(struct {
			Permission mcpproxy.Decision `json:"permission"`
			User       string            `json:"user_message,omitempty"`
			Agent      string            `json:"agent_message,omitempty"`
		}{d, reason, reason})
	},
}

// cursorServer stands for an MCP server, because Cursor does not name the server.
const cursorServer = "mcp"

// cursorTool recognizes the tools of MCP servers by their prefix or by their event.
func cursorTool(tool string, p payload, servers []string) (string, string) {
	rest, ok := strings.CutPrefix(tool, "MCP:")
	if !ok && !strings.Contains(p.text("hook_event_name"), "MCP") {
		return doubled(tool, p, servers)
	}
	if !ok {
		rest = tool
	}
	if server := p.text("server_name", "mcp_server_name", "server"); server != "" {
		return server, rest
	}
	return cursorServer, rest
}

// older lists the events that are about one tool each, with the members that contain its arguments.
var older = map[string]struct {
	tool    string
	members []string
}{
	"beforeShellExecution": {"Shell", []string{"command", "cwd"}},
	"afterShellExecution":  {"Shell", []string{"command", "cwd"}},
	"beforeReadFile":       {"Read", []string{"file_path"}},
	"afterFileEdit":        {"Write", []string{"file_path", "edits"}},
}

func cursorOlder(e *Event, p payload) {
	if o, ok := older[e.Name]; ok {
		e.Server, e.Tool = "", o.tool
		e.Input = some(p, o.members)
	}
	e.Response = opened(e.Response)
	var roots []string
	if e.Cwd == "" && json.Unmarshal(p.first("workspace_roots"), &roots) == nil && len(roots) > 0 {
		e.Cwd = roots[0]
	}
}

// some returns an object of those members that exist.
func some(p payload, names []string) json.RawMessage {
	out := []byte{'{'}
	for _, name := range names {
		v := p.first(name)
		if v == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, quote(name)...), ':'), v...)
	}
	return append(out, '}')
}
