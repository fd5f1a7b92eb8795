package hook

import (
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpproxy"
	"mcpproxy/internal/agent"
	"mcpproxy/internal/lazyregexp"
)

// geminiCLI is Gemini CLI.
//
// Source: the hooks reference of Gemini CLI, and observed payloads of version 0.61.
var geminiCLI = &dialect{
	name: agent.GeminiCLI,
	events: map[string]Kind{
		"BeforeTool":   PreTool,
		"AfterTool":    PostTool,
		"BeforeAgent":  Prompt,
		"SessionStart": SessionStart,
		"SessionEnd":   SessionEnd,
	},
	fields: fields{
		event:    []string{"hook_event_name"},
		session:  []string{"session_id"},
		tool:     []string{"tool_name"},
		call:     []string{"tool_call_id"},
		input:    []string{"tool_input"},
		response: []string{"tool_response"},
		prompt:   []string{"prompt"},
		cwd:      []string{"cwd"},
	},
	split:  geminiTool,
	finish: geminiResult,
	tell: func(_ Event, d mcpproxy.Decision, reason string) Reply {
		return decisionReply(string(d), reason) // allow or deny: the agent cannot ask
	},
	notifies: true,
}

// geminiTool uses the context that comes with an MCP call. Without a context it splits
// mcp_server_tool.
func geminiTool(tool string, p payload, servers []string) (string, string) {
	context := p.in("mcp_context")
	if server := context.text("server_name"); server != "" {
		if name := context.text("tool_name"); name != "" {
			return server, name
		}
		if _, name, ok := cutServer(strings.TrimPrefix(tool, "mcp_"), "_", []string{server}); ok {
			return server, name
		}
		return server, tool
	}
	if strings.HasPrefix(tool, "mcp__") {
		return doubled(tool, p, servers)
	}
	return single(tool, servers)
}

// single splits mcp_server_tool after a known server name, or else at the first underscore.
func single(tool string, servers []string) (string, string) {
	rest, ok := strings.CutPrefix(tool, "mcp_")
	if !ok {
		return "", tool
	}
	if server, name, ok := cutServer(rest, "_", servers); ok {
		return server, name
	}
	if server, name, ok := strings.Cut(rest, "_"); ok && server != "" && name != "" {
		return server, name
	}
	return "", tool
}

// geminiResult keeps the part of a result that the model reads. The part that is shown to the user
// repeats it.
func geminiResult(e *Event, p payload) {
	if e.Kind != PostTool {
		return
	}
	result := p.in("tool_response")
	if failure := result.first("error"); failure != nil {
		e.Kind = PostToolFailure
		e.Response = failure
	}
	if content := result.first("llmContent"); content != nil {
		e.Response = unwrapped(content)
	}
}

// wrapper is the text that Gemini CLI puts around the texts of MCP servers.
var wrapper = lazyregexp.New(`(?s)^\s*<untrusted_context[^>]*>\n?(.*?)\n?</untrusted_context>\s*$`)

// unwrapped removes the wrapper from a text, or from the texts of a list of parts.
func unwrapped(content json.RawMessage) json.RawMessage {
	if s, ok := str(content); ok {
		if m := wrapper().FindStringSubmatch(s); m != nil {
			return quote(m[1])
		}
		return content
	}
	if content[0] == '{' {
		return unwrappedPart(content)
	}
	var parts []jsontext.Value
	if content[0] != '[' || json.Unmarshal(content, &parts) != nil {
		return content
	}
	out := []byte{'['}
	for i, part := range parts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, unwrappedPart(json.RawMessage(part))...)
	}
	return append(out, ']')
}

// unwrappedPart returns a part without its wrapper. A part with a wrapper contains only a text.
func unwrappedPart(part json.RawMessage) json.RawMessage {
	if len(part) > 0 && part[0] == '"' {
		return unwrapped(part)
	}
	p, err := parse(part)
	if err != nil || len(p) != 1 {
		return part
	}
	s, ok := str(json.RawMessage(p["text"]))
	m := wrapper().FindStringSubmatch(s)
	if !ok || m == nil {
		return part
	}
	return slot("text", quote(m[1]))
}
