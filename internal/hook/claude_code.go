package hook

import (
	"mcpproxy"
	"mcpproxy/internal/agent"
)

// claudeEvents are event names that several agents have adopted.
var claudeEvents = map[string]Kind{
	"PreToolUse":         PreTool,
	"PostToolUse":        PostTool,
	"PostToolUseFailure": PostToolFailure,
	"UserPromptSubmit":   Prompt,
	"SessionStart":       SessionStart,
	"SessionEnd":         SessionEnd,
}

// claudeCode is Claude Code and the Claude Agent SDK. Copilot CLI and VS Code also run the hooks in
// a repository's .claude folder, so their spellings are accepted here.
//
// Source: the hooks reference of Claude Code 2.1, and observed payloads.
var claudeCode = &dialect{
	name:   agent.ClaudeCode,
	events: claudeEvents,
	fields: fields{
		event:    []string{"hook_event_name", "hookEventName"},
		session:  []string{"session_id", "sessionId"},
		tool:     []string{"tool_name"},
		call:     []string{"tool_use_id"},
		input:    []string{"tool_input"},
		response: []string{"tool_response", "tool_result", "error"},
		prompt:   []string{"prompt"},
		cwd:      []string{"cwd"},
	},
	split:  doubled,
	finish: foreignClaude,
	asks:   always,
	tell:   copilotReply,

	notifies: true,
}

// foreignClaude recognizes the payloads of VS Code and of Copilot CLI. Copilot CLI omits the id and
// the transcript that Claude Code always sends.
func foreignClaude(e *Event, p payload) {
	switch {
	case p.first("hookEventName") != nil:
		e.Agent = agent.VSCode
	case p.first("tool_use_id", "transcript_path", "permission_mode") == nil && p.first("timestamp") != nil:
		e.Agent, e.flat = agent.Copilot, true
		e.Response = copilotText(e.Response)
	}
}

// copilotText extracts the text from Copilot's result.
var copilotText = resultText("text_result_for_llm", "textResultForLlm")

// blockReply stops a tool with the decision "block".
func blockReply(_ Event, d mcpproxy.Decision, reason string) Reply {
	if d == mcpproxy.Allow {
		return decisionReply("allow", "")
	}
	return decisionReply("block", reason)
}
