//go:build linux

package day_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tick is longer than the resolution of process start times in Linux.
const tick = 30 * time.Millisecond

// agent is the process of an agent, with its session.
type agent struct {
	m       *machine
	t       *testing.T
	session string
	folder  string
	orders  *json.Encoder
	answers *json.Decoder
	calls   int
	asked   int // id of the last message to the bridge
}

// newAgent starts an agent in a project. This test counts as the user's terminal, from which the agent is started. The
// agent begins a session and starts its MCP server.
func newAgent(t *testing.T, m *machine, session, project string) *agent {
	t.Helper()
	folder := filepath.Join(m.home, project)
	cmd := exec.Command(filepath.Join(programs, "agent"))
	cmd.Env = m.env("CLAUDE_CODE_SESSION_ID=" + session)
	cmd.Dir = folder
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	a := &agent{
		m:       m,
		t:       t,
		session: session,
		folder:  folder,
		orders:  json.NewEncoder(in),
		answers: json.NewDecoder(out),
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	a.event("SessionStart", object{"source": "startup"})
	a.do(order{Do: "start", Args: []string{filepath.Join(programs, "mcpproxy"), "stdio"}})
	a.ask("initialize", object{
		"protocolVersion": "2025-06-18",
		"capabilities":    object{},
		"clientInfo":      object{"name": "claude-code", "version": "2.1.197"},
	})
	a.do(order{Do: "ask", Line: `{"jsonrpc":"2.0","method":"notifications/initialized"}`})
	return a
}

func (a *agent) do(o order) outcome {
	a.t.Helper()
	var out outcome
	if err := errors.Join(a.orders.Encode(o), a.answers.Decode(&out)); err != nil {
		a.t.Fatalf("the agent ended: %v", err)
	}
	return out
}

// ask sends a request to mcpproxy and returns its result.
func (a *agent) ask(method string, params object) json.RawMessage {
	a.t.Helper()
	a.asked++
	raw, err := json.Marshal(object{
		"jsonrpc": "2.0",
		"id":      a.asked,
		"method":  method,
		"params":  params,
	})
	if err != nil {
		a.t.Fatal(err)
	}
	var answer struct{ Result, Error json.RawMessage }
	said := a.do(order{Do: "ask", Line: string(raw)}).Stdout
	if err := json.Unmarshal([]byte(said), &answer); err != nil || answer.Error != nil {
		a.t.Fatalf("%s is answered with %s", raw, said)
	}
	return answer.Result
}

// event makes the agent's hook report an event.
func (a *agent) event(name string, members object) outcome {
	a.t.Helper()
	whole := object{
		"hook_event_name": name,
		"session_id":      a.session,
		"transcript_path": filepath.Join(a.m.home, ".claude", "projects", a.session+".jsonl"),
		"cwd":             a.folder,
		"permission_mode": "default",
	}
	for k, v := range members {
		whole[k] = v
	}
	raw, err := json.Marshal(whole)
	if err != nil {
		a.t.Fatal(err)
	}
	line := fmt.Sprintf("%s --socket %s --agent claude-code --event %s", filepath.Join(programs, "mcpproxy-hook"),
		filepath.Join(a.m.data, "mcpproxy.sock"), name)
	return a.do(order{Do: "hook", Line: line, In: string(raw)})
}

// says reports a message of the user.
func (a *agent) says(words string) {
	a.t.Helper()
	time.Sleep(tick) // the start times of earlier processes differ
	a.event("UserPromptSubmit", object{"prompt": words})
}

// decision is an answer to PreToolUse.
type decision struct{ verdict, reason string }

// before asks the hook about a call.
func (a *agent) before(tool string, in object) decision {
	a.t.Helper()
	a.calls++
	said := a.event("PreToolUse", object{"tool_name": tool, "tool_use_id": a.id(), "tool_input": in})
	var answer struct {
		HookSpecificOutput struct{ PermissionDecision, PermissionDecisionReason string }
	}
	switch {
	case said.Code == 2:
		return decision{"deny", said.Stderr}
	case said.Code != 0:
		a.t.Fatalf("the hook ended with %+v", said)
	case said.Stdout == "":
		return decision{"allow", ""}
	case json.Unmarshal([]byte(said.Stdout), &answer) != nil:
		a.t.Fatalf("the hook answered %q", said.Stdout)
	}
	out := answer.HookSpecificOutput
	return decision{out.PermissionDecision, out.PermissionDecisionReason}
}

// id returns the id of the last call.
func (a *agent) id() string { return fmt.Sprintf("toolu_%s_%d", a.session[:8], a.calls) }

// after reports the result of the last call.
func (a *agent) after(tool string, in object, response any) {
	a.t.Helper()
	a.event("PostToolUse", object{
		"tool_name":     tool,
		"tool_use_id":   a.id(),
		"tool_input":    in,
		"tool_response": response,
	})
}

// failed reports that the last call failed.
func (a *agent) failed(tool string, in object, why string) {
	a.t.Helper()
	a.event("PostToolUseFailure", object{
		"tool_name":    tool,
		"tool_use_id":  a.id(),
		"tool_input":   in,
		"error":        why,
		"is_interrupt": false,
	})
}

// result is what a tool of an MCP server answers.
type result struct {
	Content           []object
	StructuredContent json.RawMessage
	IsError           bool
}

// text returns the texts of the answer.
func (r *result) text() string {
	var all []string
	for _, block := range r.Content {
		if text, ok := block["text"].(string); ok {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}

// call calls a tool of mcpproxy over its bridge.
func (a *agent) call(tool string, in object) *result {
	a.t.Helper()
	raw := a.ask("tools/call", object{
		"name":      tool,
		"arguments": in,
		"_meta":     object{"claudecode/toolUseId": a.id()},
	})
	r := &result{}
	if err := json.Unmarshal(raw, r); err != nil {
		a.t.Fatalf("%s is answered with %s", tool, raw)
	}
	return r
}

// proxyTool returns the tool of mcpproxy that calls a tool of a server. The agent searches for it once.
func (a *agent) proxyTool(tool string) string {
	a.t.Helper()
	if known := a.m.proxyTools[tool]; known != "" {
		return known
	}
	const describe = "describe_tool"
	in := object{"name": tool}
	if d := a.before("mcp__mcpproxy__"+describe, in); d.verdict != "allow" {
		a.t.Fatalf("describing %s: %+v", tool, d)
	}
	r := a.call(describe, in)
	a.after("mcp__mcpproxy__"+describe, in, r.Content)
	var described struct {
		CallWith string `json:"call_with"`
	}
	if err := json.Unmarshal([]byte(r.text()), &described); err != nil || described.CallWith == "" {
		a.t.Fatalf("%s is described as %s", tool, r.text())
	}
	a.m.proxyTools[tool] = described.CallWith
	return described.CallWith
}
