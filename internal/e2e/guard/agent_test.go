//go:build linux

package guard_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// order is an instruction for the agent's process, one on each line.
type order struct {
	Do   string // "hook", "bash" or "bridge"
	Line string // the command line of the hook or the tool, or the message to the bridge
	In   string // the hook's payload
}

// outcome is how the step ended.
type outcome struct {
	Stdout, Stderr string
	Code           int
}

// playAgent runs as an agent's process. It starts its hooks, the shells of its tools and its MCP servers as Claude
// Code does.
func playAgent() int {
	var bridge *bridgeProcess
	orders, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var o order
		if err := orders.Decode(&o); err != nil {
			bridge.end()
			return 0
		}
		var out outcome
		switch o.Do {
		case "hook":
			cmd := exec.Command("/bin/sh", "-c", o.Line)
			cmd.Stdin = strings.NewReader(o.In)
			out = runIn(cmd)
		case "bash":
			cmd := exec.Command("/bin/bash", "-c", o.Line)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			out = runIn(cmd)
		case "bridge":
			if bridge == nil {
				bridge = startBridge(o.Line)
				break
			}
			out.Stdout = bridge.ask(o.Line)
		}
		if err := answers.Encode(out); err != nil {
			return 1
		}
	}
}

// runIn runs a command to its end. It does not wait for background processes that keep its output open.
func runIn(cmd *exec.Cmd) outcome {
	var stdout, stderr bytes.Buffer
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr
	cmd.WaitDelay = 100 * time.Millisecond
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return outcome{Stderr: err.Error(), Code: -1}
	}
	return outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// bridgeProcess is `mcpproxy stdio` as an agent starts it.
type bridgeProcess struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startBridge(line string) *bridgeProcess {
	words := strings.Fields(line)
	b := &bridgeProcess{cmd: exec.Command(words[0], words[1:]...)}
	b.cmd.Stderr = os.Stderr
	in, err1 := b.cmd.StdinPipe()
	out, err2 := b.cmd.StdoutPipe()
	if err := errors.Join(err1, err2, b.cmd.Start()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	b.in, b.out = in, bufio.NewReader(out)
	return b
}

// ask sends a message, and waits for its answer if it has an id.
func (b *bridgeProcess) ask(message string) string {
	fmt.Fprintln(b.in, message)
	if !strings.Contains(message, `"id"`) {
		return ""
	}
	answer, err := b.out.ReadString('\n')
	if err != nil {
		return err.Error()
	}
	return answer
}

func (b *bridgeProcess) end() {
	if b != nil {
		b.in.Close()
		_ = b.cmd.Wait()
	}
}

// agent is the process of an agent, with its session.
type agent struct {
	r       *host
	t       *testing.T
	session string
	orders  *json.Encoder
	answers *json.Decoder
	calls   int
	end     func()
}

// agent starts an agent and begins a session. This test counts as the user's terminal, from which the agent is
// started.
func (r *host) agent(t *testing.T) *agent {
	t.Helper()
	cmd := exec.Command(filepath.Join(programs, "agent"))
	cmd.Env = r.Env
	cmd.Dir = r.Home
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	a := &agent{
		r:       r,
		t:       t,
		session: "s" + strconv.Itoa(cmd.Process.Pid),
		orders:  json.NewEncoder(in),
		answers: json.NewDecoder(out),
		end:     func() { in.Close(); _ = cmd.Wait() },
	}
	t.Cleanup(a.end)
	a.event("SessionStart", object{"source": "startup"})
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

// event makes the agent's hook report an event.
func (a *agent) event(name string, members object) outcome {
	a.t.Helper()
	line := a.r.fill("HOOK --socket SOCKET --agent claude-code --event " + name)
	return a.do(order{Do: "hook", Line: line, In: a.payload(name, members)})
}

func (a *agent) payload(event string, members object) string {
	a.t.Helper()
	whole := object{
		"hook_event_name": event,
		"session_id":      a.session,
		"transcript_path": a.r.Home + "/t",
		"cwd":             a.r.Home,
	}
	for k, v := range members {
		whole[k] = v
	}
	raw, err := json.Marshal(whole)
	if err != nil {
		a.t.Fatal(err)
	}
	return string(raw)
}

// decision returns the decision in a hook's answer to PreToolUse. An empty answer means "allow".
func (o outcome) decision(t *testing.T) string {
	t.Helper()
	var answer struct {
		HookSpecificOutput struct{ PermissionDecision string }
	}
	switch {
	case o.Code == 2:
		return "deny"
	case o.Stdout == "":
		return "allow"
	case json.Unmarshal([]byte(o.Stdout), &answer) != nil:
		t.Fatalf("the hook answered %q", o.Stdout)
	}
	return answer.HookSpecificOutput.PermissionDecision
}

// before asks the hook about a call; after reports the result of the call to it.
func (a *agent) before(tool string, input object) (decision string, said outcome) {
	a.t.Helper()
	a.calls++
	said = a.event(
		"PreToolUse",
		object{"tool_name": tool, "tool_use_id": fmt.Sprint("toolu_", a.calls), "tool_input": input},
	)
	return said.decision(a.t), said
}

func (a *agent) after(tool string, input object, result any) {
	a.t.Helper()
	a.event("PostToolUse", object{
		"tool_name":     tool,
		"tool_use_id":   fmt.Sprint("toolu_", a.calls),
		"tool_input":    input,
		"tool_response": result,
	})
}

// tool runs a tool that returns a text, unless the hook denies the call.
func (a *agent) tool(name string, input object, brings string) string {
	a.t.Helper()
	decision, _ := a.before(name, input)
	if decision == "allow" {
		a.after(name, input, brings)
	}
	return decision
}

// evade runs a command in the shell of the Bash tool, but asks the hook about another command. So the rules about
// texts do not see the command that runs.
func (a *agent) evade(line string) outcome {
	a.t.Helper()
	harmless := object{"command": "true"}
	if decision, said := a.before("Bash", harmless); decision != "allow" {
		a.t.Fatalf("a harmless command is answered with %s: %+v", decision, said)
	}
	time.Sleep(tick)
	out := a.do(order{Do: "bash", Line: line})
	a.after("Bash", harmless, object{"stdout": "", "stderr": ""})
	return out
}
