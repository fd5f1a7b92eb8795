package evaluate

import (
	"encoding/json"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/hook"
)

// target is the server tool that an event's call reaches.
type target struct {
	server, tool string
	arguments    json.RawMessage
	definition   *mcpproxy.Tool
	intent       mcpproxy.Intent
}

// variants are the tools of this proxy that call others, with the operation that each one declares.
var variants = map[string]mcpproxy.Operation{
	"call_tool_read": mcpproxy.Read, "call_tool_write": mcpproxy.Write, "call_tool_destructive": mcpproxy.Destructive,
}

// resolve finds the server's tool behind a tool of this proxy. Agents call a tool of another server
// as mcpproxy's call_tool_read or as github__get_file. Only the tools' names count, because agents
// may have any name for this proxy.
func (e *Evaluator) resolve(ev *hook.Event) target {
	t := target{server: ev.Server, tool: ev.Tool, arguments: ev.Input}
	if ev.Server == "" {
		return t
	}
	if op, ok := variants[ev.Tool]; ok {
		if inner, ok := e.behind(ev.Input, op); ok {
			return inner
		}
	}
	if def, ok := e.Tool(ev.Server, ev.Tool); ok {
		t.definition = def
		return t
	}
	for i := 1; i+2 < len(ev.Tool); i++ { // server and tool names may contain the separator themselves
		if ev.Tool[i:i+2] != "__" {
			continue
		}
		if def, ok := e.Tool(ev.Tool[:i], ev.Tool[i+2:]); ok {
			t.server = ev.Tool[:i]
			t.tool = ev.Tool[i+2:]
			t.definition = def
			return t
		}
	}
	return t
}

// behind returns the tool that the arguments of a call_tool_* tool name; ok is false if this proxy
// has no such tool, because another server may have a tool of that name.
func (e *Evaluator) behind(input json.RawMessage, op mcpproxy.Operation) (t target, ok bool) {
	var in struct {
		Name        string          `json:"name"`
		Args        json.RawMessage `json:"args"`
		ArgsJSON    string          `json:"args_json"`
		Sensitivity string          `json:"intent_data_sensitivity"`
		Reason      string          `json:"intent_reason"`
		Why         string          `json:"flow_justification"`
		To          string          `json:"flow_destination_type"`
	}
	if json.Unmarshal(input, &in) != nil {
		return t, false
	}
	server, tool, _ := strings.Cut(in.Name, ":")
	def, ok := e.Tool(server, tool)
	if !ok {
		return t, false
	}
	t = target{
		server:     server,
		tool:       tool,
		definition: def,
		arguments:  in.Args,
		intent: mcpproxy.Intent{
			Operation:       op,
			DataSensitivity: in.Sensitivity,
			Reason:          in.Reason,
			Justification:   in.Why,
			DestinationType: in.To,
		},
	}
	switch {
	case in.ArgsJSON != "" && in.Args != nil:
		t.arguments = input // both forms are given, which the proxy refuses: inspect everything
	case in.ArgsJSON != "" && json.Valid([]byte(in.ArgsJSON)):
		t.arguments = json.RawMessage(in.ArgsJSON)
	case in.ArgsJSON != "":
		t.arguments = input
	case in.Args == nil:
		t.arguments = json.RawMessage("{}")
	}
	return t, true
}
