package hook

import (
	"encoding/json"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/agent"
)

// copilotEvents are the names in both of the spellings that a file may use. The
// payload's own spelling follows them.
var copilotEvents = map[string]Kind{
	"preToolUse":          PreTool,
	"PreToolUse":          PreTool,
	"postToolUse":         PostTool,
	"PostToolUse":         PostTool,
	"postToolUseFailure":  PostToolFailure,
	"PostToolUseFailure":  PostToolFailure,
	"userPromptSubmitted": Prompt,
	"UserPromptSubmit":    Prompt,
	"UserPromptSubmitted": Prompt,
	"sessionStart":        SessionStart,
	"SessionStart":        SessionStart,
	"sessionEnd":          SessionEnd,
	"SessionEnd":          SessionEnd,
}

var copilotFields = fields{
	event:    []string{"hook_event_name", "hookEventName"},
	session:  []string{"sessionId", "session_id"},
	tool:     []string{"toolName", "tool_name"},
	call:     []string{"tool_use_id", "toolCallId"},
	input:    []string{"toolArgs", "tool_input"},
	response: []string{"toolResult", "tool_result", "tool_response", "error"},
	prompt:   []string{"prompt"},
	cwd:      []string{"cwd"},
}

// copilot is GitHub's Copilot CLI. VS Code reads the same folders and runs the
// same files; the payloads tell them apart.
//
// Source: GitHub's hooks reference, and the payloads of Copilot CLI 1.0 as seen.
var copilot = &dialect{
	name:   agent.Copilot,
	events: copilotEvents,
	fields: copilotFields,
	split:  copilotTool,
	finish: copilotOrCode,
	asks:   always,
	tell:   copilotReply,
}

// copilotOrCode settles who speaks: VS Code sends a tool call's id, and writes
// its event's name as no other does.
func copilotOrCode(e *Event, p payload) {
	e.Agent = agent.Copilot
	if p.first("tool_use_id", "hookEventName", "transcript_path") != nil && p.first("toolName") == nil {
		e.Agent = agent.VSCode
	}
	e.flat = e.Agent == agent.Copilot
	e.Response = copilotText(e.Response)
}

// copilotTool splits server-tool: at a known server's end, else at the last
// dash, which none of Copilot's own tools has.
func copilotTool(tool string, p payload, servers []string) (string, string) {
	if strings.HasPrefix(tool, "mcp_") {
		return codeTool(tool, servers)
	}
	if server, name, ok := cutServer(tool, "-", servers); ok {
		return server, name
	}
	if i := strings.LastIndexByte(tool, '-'); i > 0 && i < len(tool)-1 {
		return tool[:i], tool[i+1:]
	}
	return "", tool
}

// resultText takes the model's text out of a result that is an object with it
// under one of the names.
func resultText(names ...string) func(json.RawMessage) json.RawMessage {
	return func(response json.RawMessage) json.RawMessage {
		p, err := parse(response)
		if err != nil {
			return response
		}
		if text := p.first(names...); text != nil {
			return text
		}
		return response
	}
}

// copilotReply says a decision beside, as Copilot reads it, and inside too where
// the event has a name that others gave it.
func copilotReply(e Event, d mcpproxy.Decision, reason string) Reply {
	if e.flat && strings.HasPrefix(e.Name, "P") {
		return say(permission{
			Decision: d,
			Reason:   reason,
			Nested:   &nested{Event: e.Name, Decision: d, Reason: reason},
		})
	}
	return permissionReply(e, d, reason)
}
