package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpproxy/internal/wire"
)

const (
	callsOfScript  = 1000
	roundsOfScript = 9
	roundsToWarm   = 3                      // servers on Node.js compile as they go
	betweenScripts = 300 * time.Millisecond // an agent thinks for longer; the next worker has started by then
)

// measureScripts compares calls of a server over stdio, one after the other: by a client
// that does nothing else, and from a script in mcpproxy with everything on. Command is
// the server's, whose tool echo has that argument; without one it is our own.
func measureScripts(ctx context.Context, dir string, command []string, argument string) error {
	if len(command) == 0 {
		command = []string{self(), "-role", "stdio"}
	}
	direct, err := startStdio(ctx, command)
	if err != nil {
		return err
	}
	proxy, _, err := startProxyWith(ctx, dir, "scripts", map[string]any{"name": "echo", "command": command[0], "args": command[1:]},
		map[string]any{"code_execution": map[string]any{"enabled": true, "max_tool_calls": callsOfScript, "timeout_secs": 60}})
	if err != nil {
		return err
	}
	base := strings.TrimSuffix(proxy.url, "/s/echo")
	var own, through, beyond []time.Duration
	for i := range roundsToWarm + roundsOfScript {
		alone, err := direct.thousand(argument)
		if err != nil {
			return err
		}
		script, err := thousandByScript(ctx, base, argument)
		if err != nil {
			return err
		}
		time.Sleep(betweenScripts)
		if i >= roundsToWarm {
			own, through, beyond = append(own, alone), append(through, script), append(beyond, script-alone)
		}
	}
	fmt.Println("| 1,000 calls, one after the other | least ms | median ms | most ms |\n|---|---|---|---|")
	for _, row := range []struct {
		name string
		took []time.Duration
	}{{"the server alone", own}, {"from a script in mcpproxy", through}, {"beyond the server's own time", beyond}} {
		slices.Sort(row.took)
		fmt.Printf("| %s | %.0f | %.0f | %.0f |\n", row.name, ms(row.took[0]), ms(row.took[len(row.took)/2]), ms(row.took[len(row.took)-1]))
	}
	return nil
}

// thousandByScript has a script make the calls, and returns how long an agent waits
// for it.
func thousandByScript(ctx context.Context, base, argument string) (time.Duration, error) {
	code := fmt.Sprintf(`async () => { for (let i = 0; i < %d; i++) await forge.callTool("echo", "echo", { %s: "order " + i }); return %[1]d }`, callsOfScript, argument)
	arguments := string(wire.Set(nil, wire.Quote(code), "code"))
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		start := time.Now()
		answer, err := said(ctx, base, "execute", arguments)
		switch took := time.Since(start); {
		case err == nil && answer == strconv.Itoa(callsOfScript):
			return took, nil
		case time.Now().After(deadline): // until then the server may still be starting
			return 0, errors.Join(err, fmt.Errorf("the script answers %s", answer))
		}
	}
}

// stdio is a server whose messages are lines (MCP, stdio transport).
type stdio struct {
	in   io.Writer
	out  *bufio.Reader
	last int64 // id of the newest request
}

func startStdio(ctx context.Context, command []string) (*stdio, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stderr = io.Discard
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &stdio{in: in, out: bufio.NewReaderSize(out, 1<<20)}
	if _, err := s.request("initialize", []byte(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)); err != nil {
		return nil, err
	}
	_, err = io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return s, err
}

// request sends a request and waits for its answer.
func (s *stdio) request(method string, params []byte) (*wire.Message, error) {
	s.last++
	id := wire.IntID(s.last)
	if _, err := s.in.Write(append(bytes.Clone(wire.NewRequest(id, method, params).Raw), '\n')); err != nil {
		return nil, err
	}
	for {
		line, err := s.out.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		m, err := wire.Parse(bytes.TrimSpace(line))
		switch {
		case err != nil:
			return nil, err
		case m.Method == "" && bytes.Equal(m.ID, id):
			if m.Result == nil {
				return nil, fmt.Errorf("%s: %s", method, line)
			}
			return m, nil
		}
	}
}

// thousand makes the calls, and returns how long they took.
func (s *stdio) thousand(argument string) (time.Duration, error) {
	start := time.Now()
	for i := range callsOfScript {
		params := wire.Set(wire.Set(nil, []byte(`"echo"`), "name"), wire.Quote(fmt.Sprint("order ", i)), "arguments", argument)
		if _, err := s.request("tools/call", params); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}
