//go:build linux

package day_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// order is an instruction for the agent's process, one on each line.
type order struct {
	Do   string   // "hook", "start" or "ask"
	Line string   // the hook's command line, or the message for the bridge
	In   string   // the hook's payload
	Args []string // the bridge's command line
}

// outcome is how the process ended.
type outcome struct {
	Stdout, Stderr string
	Code           int
}

// playAgent runs as an agent's process. It starts its hooks and its MCP server as Claude Code does.
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
			out = runHook(o.Line, o.In)
		case "start":
			bridge = startBridge(o.Args)
		case "ask":
			out.Stdout = bridge.ask(o.Line)
		}
		if err := answers.Encode(out); err != nil {
			return 1
		}
	}
}

// runHook runs a hook to its end.
func runHook(line, payload string) outcome {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("/bin/sh", "-c", line)
	cmd.Stdin = strings.NewReader(payload)
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
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

func startBridge(args []string) *bridgeProcess {
	b := &bridgeProcess{cmd: exec.Command(args[0], args[1:]...)}
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

// ask sends a message, and waits for its answer if it has an id. Notifications that come before
// the answer are ignored.
func (b *bridgeProcess) ask(message string) string {
	fmt.Fprintln(b.in, message)
	var sent, got struct {
		ID     *int   `json:"id"`
		Method string `json:"method"`
	}
	if json.Unmarshal([]byte(message), &sent) != nil || sent.ID == nil {
		return ""
	}
	for {
		answer, err := b.out.ReadString('\n')
		if err != nil {
			return err.Error()
		}
		got.ID, got.Method = nil, ""
		if json.Unmarshal([]byte(answer), &got) == nil && got.Method == "" && got.ID != nil && *got.ID == *sent.ID {
			return answer
		}
	}
}

func (b *bridgeProcess) end() {
	if b != nil {
		b.in.Close()
		_ = b.cmd.Wait()
	}
}
