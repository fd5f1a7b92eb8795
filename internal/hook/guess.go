package hook

import "strings"

// flat is the format of the evaluation endpoint itself: event, session_id, tool_name, tool_input
// and tool_response at the top level. The answer has the form of Claude Code's.
var flat = &dialect{
	events: claudeEvents,
	fields: fields{
		event:    []string{"event", "hook_event_name"},
		session:  []string{"session_id"},
		tool:     []string{"tool_name"},
		call:     []string{"tool_use_id", "tool_call_id"},
		input:    []string{"tool_input"},
		response: []string{"tool_response"},
		prompt:   []string{"prompt"},
		cwd:      []string{"cwd"},
	},
	split: doubled,
	asks:  always,
	tell:  permissionReply,
}

// Guess returns the agent that a payload without an agent's name seems to come from. event is the
// name of the event if it is known from outside the payload. For a payload that matches no agent,
// Guess returns the plain format, whose Name is "".
func Guess(event string, raw []byte) Agent {
	p, err := parse(raw)
	if err != nil {
		return flat
	}
	has := func(names ...string) bool { return p.first(names...) != nil }
	if name := p.text("hook_event_name", "hookEventName", "event"); name != "" {
		event = name
	}
	switch {
	case has("conversation_id", "cursor_version"), has("hook_event_name") && event >= "a": // names in camel case
		return cursor
	case has("sessionID", "callID") || strings.Contains(event, "."):
		return opencode
	case event == "BeforeTool", event == "AfterTool", event == "BeforeAgent", has("mcp_context"):
		return geminiCLI
	case has("hookEventName"):
		return vscode
	case has("sessionId", "toolName", "toolArgs"), event == "preToolUse", event == "postToolUse":
		return copilot
	case has("turn_id"):
		return codex
	case has("event") && has("tool_call_id", "matcher_context", "working_dir", "message"):
		return goose
	case has("hook_event_name") && has("timestamp") && !has("tool_use_id", "transcript_path", "permission_mode"):
		return copilot
	case has("hook_event_name"):
		return claudeCode
	}
	return flat
}
