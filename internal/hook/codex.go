package hook

import (
	"mcpproxy"
	"mcpproxy/internal/agent"
)

// codex is Codex CLI. It accepts the decision ask but runs the tool anyway, and it has no decision
// allow. Its shell tool is called Bash here.
//
// Source: the hooks page of Codex, and observed payloads of Codex CLI 0.169.
var codex = &dialect{
	name:   agent.Codex,
	events: claudeEvents,
	fields: fields{
		event:    []string{"hook_event_name"},
		session:  []string{"session_id"},
		tool:     []string{"tool_name"},
		call:     []string{"tool_use_id"},
		input:    []string{"tool_input"},
		response: []string{"tool_response", "error"},
		prompt:   []string{"prompt"},
		cwd:      []string{"cwd"},
	},
	split: doubled,
	tell: func(e Event, d mcpproxy.Decision, reason string) Reply {
		if d == mcpproxy.Allow {
			return Reply{}
		}
		return permissionReply(e, d, reason)
	},
	notifies: true,
}
