//go:build linux

package day_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpproxy/internal/e2e/agents"
)

// playsUser is the first argument that makes this binary an MCP server which Claude Code asks for permissions. It
// always approves.
const playsUser = "day-user"

func playUser() int {
	server := mcp.NewServer(&mcp.Implementation{Name: "user", Version: "1.0.0"}, nil)
	server.AddTool(
		&mcp.Tool{
			Name:        "approve",
			Description: "Asks the user for a permission.",
			InputSchema: object{"type": "object"},
		},
		func(_ context.Context, call *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var asked struct {
				Input json.RawMessage `json:"input"`
			}
			if err := json.Unmarshal(call.Params.Arguments, &asked); err != nil {
				return nil, err
			}
			raw, err := json.Marshal(object{"behavior": "allow", "updatedInput": asked.Input})
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(raw)}}}, err
		})
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// claudeCode returns the path of the real program, which `make test-agents` installs.
func claudeCode(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "agents", "npm", "claude", "node_modules", ".bin", "claude"))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(path, "--version").CombinedOutput(); err != nil {
		lacking(t, fmt.Sprintf("Claude Code cannot be run (%v %s); `make test-agents` installs it", err, out))
	}
	return path
}

// pretended are programs that print the expected output of the session instead of doing their work.
var pretended = []string{"git", "gh", "npm", "npx", "docker", "psql", "curl"}

const pretend = "#!/bin/sh\ncat {HOME}/answer\nexit $(cat {HOME}/code)\n"

// prepareClaude writes the files that Claude Code needs, and installs the hook as a user does.
func (m *machine) prepareClaude() {
	m.t.Helper()
	for _, name := range pretended {
		m.write("bin/"+name, m.places.Replace(pretend))
		if err := os.Chmod(filepath.Join(m.home, "bin", name), 0o700); err != nil {
			m.t.Fatal(err)
		}
	}
	m.prints("", false)
	raw, err := json.Marshal(object{"mcpServers": object{
		"mcpproxy": object{"command": filepath.Join(programs, "mcpproxy"), "args": []string{"stdio"}},
		"user":     object{"command": filepath.Join(programs, "agent-service"), "args": []string{playsUser}},
	}})
	if err != nil {
		m.t.Fatal(err)
	}
	m.write("mcp.json", string(raw))
	m.mcpproxy("hook", "install", "--agent", "claude-code", "--scope", "user")
}

// prints sets the output of the pretended programs.
func (m *machine) prints(text string, failed bool) {
	m.t.Helper()
	code := "0"
	if failed {
		code = "1"
	}
	m.write("answer", text+"\n")
	m.write("code", code)
}

// playClaude makes the real Claude Code work through a session, with a scripted model. It first writes the files that
// the session reads.
func playClaude(t *testing.T, m *machine, s *session, id string) *report {
	t.Helper()
	program := claudeCode(t)
	m.prepareClaude()
	r := newReport(s, id)
	folder := filepath.Join(m.home, s.project)
	model := &agents.Model{}
	// Claude Code does not wait for the hook after a tool, and the scripted model answers faster than a real one.
	think := func() { time.Sleep(100 * time.Millisecond) }
	met := map[string]bool{}
	for i := range s.steps {
		step := &s.steps[i]
		if step.tool == "" {
			continue
		}
		in, err := step.input(folder)
		if err != nil {
			t.Fatal(err)
		}
		path, _ := in["file_path"].(string)
		if step.tool == "Read" && !met[path] {
			m.write(strings.TrimPrefix(path, m.home), step.text()+"\n")
		}
		met[path] = true
		r.numbers[fmt.Sprint("toolu_", step.number-1)] = step.number
		model.Script = append(model.Script, agents.Step{Tool: step.tool, Input: in, Wait: func() {
			think()
			m.prints(step.text(), step.failed)
		}})
	}
	model.Script = append(model.Script, agents.Step{Text: "done", Wait: think})
	server := httptest.NewServer(model)
	defer server.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-p", s.steps[0].head, "--session-id", id, "--model", "claude-sonnet-4-5",
		"--permission-mode", "acceptEdits", "--allowedTools", "Bash Grep Glob Read Write Edit",
		"--permission-prompt-tool", "mcp__user__approve", "--output-format", "json",
		"--mcp-config", filepath.Join(m.home, "mcp.json"), "--strict-mcp-config")
	cmd.Dir = folder
	cmd.Env = m.env("ANTHROPIC_BASE_URL="+server.URL, "ANTHROPIC_API_KEY=dummy",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "ENABLE_TOOL_SEARCH=false", "IS_SANDBOX=1")
	cmd.Env[0] = "PATH=" + filepath.Join(m.home, "bin") + ":" + os.Getenv("PATH")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("Claude Code: %v\n%s", err, out)
	}
	answers := model.Answers()
	if len(answers) != s.calls() {
		t.Errorf("%d of %d calls were answered", len(answers), s.calls())
	}
	r.readLog(t, m)
	r.checkAnswers(t, answers)
	return r
}

// checkAnswers checks that every call that was not denied has run. The user approves every question.
func (r *report) checkAnswers(t *testing.T, answers []string) {
	t.Helper()
	for _, step := range r.session.steps {
		if step.tool == "" || step.number > len(answers) {
			continue
		}
		_, denied := r.found[finding{step.number, "denied"}]
		answer := answers[step.number-1]
		if failed := strings.Contains(answer, `"is_error":true`); failed && !denied && !step.failed {
			t.Errorf("%s, step %d: %s is answered with %s", r.session.name, step.number, r.session.call(step.number), answer)
		}
	}
}
