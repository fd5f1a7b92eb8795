package hook

import (
	"encoding/json"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/agent"
)

// copilotEvents are the event names in both spellings that a settings file may use. The payload
// uses the same spelling.
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

// copilot is GitHub's Copilot CLI. VS Code reads the same folders and runs the same hooks; the
// payloads differ.
//
// Source: GitHub's hooks reference, and observed payloads of Copilot CLI 1.0.
var copilot = &dialect{
	name:   agent.Copilot,
	events: copilotEvents,
	fields: copilotFields,
	split:  copilotTool,
	finish: copilotOrCode,
	asks:   always,
	tell:   copilotReply,
}

// copilotOrCode tells the two agents apart: VS Code sends the id of a tool call and spells event
// names differently.
func copilotOrCode(e *Event, p payload) {
	e.Agent = agent.Copilot
	if p.first("tool_use_id", "hookEventName", "transcript_path") != nil && p.first("toolName") == nil {
		e.Agent = agent.VSCode
	}
	e.flat = e.Agent == agent.Copilot
	e.Response = copilotText(e.Response)
}

// copilotTool splits server-tool after a known server name, or else at the last dash, which no
// built-in tool of Copilot contains.
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

// resultText extracts the text for the model from a result object that contains it under one of the
// names.
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

// copilotReply writes the decision at the top level, as Copilot reads it. For events with Claude
// Code's names it also writes the decision into the inner object.
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
