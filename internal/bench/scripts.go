package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpproxy/internal/codemode"
	"mcpproxy/internal/codemode/frame"
	"mcpproxy/internal/wire"
)

const (
	callsOfScript  = 1000
	roundsOfScript = 9
	roundsToWarm   = 3                      // servers on Node.js compile their code during the first rounds
	betweenScripts = 300 * time.Millisecond // real agents take longer; the next worker is ready by then
)

// measureScripts measures a thousand calls of a server over stdio in three ways: from a client that does nothing else,
// from a script in the sandbox whose host only passes the calls on, and from a script in mcpproxy with all features
// enabled. Command starts the server, whose tool echo takes its text in the given argument. Without a command it
// starts our own server.
func measureScripts(ctx context.Context, dir string, command []string, argument string) error {
	if len(command) == 0 {
		command = []string{self(), "-role", "stdio"}
	}
	direct, err := startStdio(ctx, command)
	if err != nil {
		return err
	}
	proxy, _, err := startProxyWith(
		ctx,
		dir,
		"scripts",
		map[string]any{"name": "echo", "command": command[0], "args": command[1:]},
		map[string]any{
			"code_execution": map[string]any{"enabled": true, "max_tool_calls": callsOfScript, "timeout_secs": 60},
		},
	)
	if err != nil {
		return err
	}
	engine := codemode.NewProcesses(filepath.Join(dir, "mcpproxy"))
	defer engine.Close()
	engine.Configure(codemode.DefaultLimits())
	base := strings.TrimSuffix(proxy.url, "/s/echo")
	ways := []func() (time.Duration, error){
		func() (time.Duration, error) { return direct.thousand(argument) },
		func() (time.Duration, error) { return direct.thousandByBareScript(engine, argument) },
		func() (time.Duration, error) { return thousandByScript(ctx, base, argument) },
	}
	took := make([][]time.Duration, len(ways)+1) // one more for the difference between the last and the first
	for i := range roundsToWarm + roundsOfScript {
		var round []time.Duration
		for _, way := range ways {
			d, err := way()
			if err != nil {
				return err
			}
			round = append(round, d)
			time.Sleep(betweenScripts)
		}
		for k, d := range append(round, round[2]-round[0]) {
			if i >= roundsToWarm {
				took[k] = append(took[k], d)
			}
		}
	}
	fmt.Println("| 1,000 calls, one after the other | least ms | median ms | most ms |\n|---|---|---|---|")
	for k, name := range []string{"the server alone", "from a script whose host does nothing else", "from a script in mcpproxy", "beyond the server's own time"} {
		slices.Sort(took[k])
		fmt.Printf(
			"| %s | %.0f | %.0f | %.0f |\n",
			name,
			ms(took[k][0]),
			ms(took[k][len(took[k])/2]),
			ms(took[k][len(took[k])-1]),
		)
	}
	return nil
}

// codeOfScript returns a script that makes the calls.
func codeOfScript(argument string) string {
	return fmt.Sprintf(
		`async () => { for (let i = 0; i < %d; i++) await forge.callTool("echo", "echo", { %s: "order " + i }); return %[1]d }`,
		callsOfScript,
		argument,
	)
}

// thousandByBareScript runs a script that makes the calls, and passes them on to the server.
func (s *stdio) thousandByBareScript(engine codemode.Engine, argument string) (time.Duration, error) {
	start := time.Now()
	w, err := engine.Start()
	if err != nil {
		return 0, err
	}
	defer w.Kill()
	r, out := frame.NewReader(w, 1<<20), frame.NewWriter(w)
	for {
		f, err := r.Read()
		if err != nil {
			return 0, err
		}
		switch f.Kind {
		case frame.Ready:
			err = out.Write(frame.Frame{Kind: frame.Run, Body: []byte(codeOfScript(argument))})
		case frame.Call:
			var answer *wire.Message
			answer, err = s.request(
				"tools/call",
				wire.Set(wire.Set(nil, []byte(`"echo"`), "name"), wire.Member(f.Body, "args"), "arguments"),
			)
			if err == nil {
				err = out.Write(frame.Frame{Kind: frame.Value, ID: f.ID, Body: answer.Result})
			}
		case frame.Done:
			return time.Since(start), nil
		default:
			err = fmt.Errorf("the script says %s", f.Body)
		}
		if err != nil {
			return 0, err
		}
	}
}

// thousandByScript runs a script in mcpproxy that makes the calls, and returns the time until the script's result
// arrived.
func thousandByScript(ctx context.Context, base, argument string) (time.Duration, error) {
	arguments := string(wire.Set(nil, wire.Quote(codeOfScript(argument)), "code"))
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		start := time.Now()
		answer, err := said(ctx, base, "execute", arguments)
		switch took := time.Since(start); {
		case err == nil && answer == strconv.Itoa(callsOfScript):
			return took, nil
		case time.Now().After(deadline): // before that, the server may still be starting
			return 0, errors.Join(err, fmt.Errorf("the script answers %s", answer))
		}
	}
}

// stdio is a server that reads and writes one message a line (MCP, stdio transport).
type stdio struct {
	in   io.Writer
	out  *bufio.Reader
	last int64 // id of the last request
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
	hello := []byte(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)
	if _, err := s.request("initialize", hello); err != nil {
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
				return nil, fmt.Errorf("the answer to %s has no result: %s", method, line)
			}
			return m, nil
		}
	}
}

// thousand makes the calls and returns how long they took.
func (s *stdio) thousand(argument string) (time.Duration, error) {
	start := time.Now()
	for i := range callsOfScript {
		params := wire.Set(
			wire.Set(nil, []byte(`"echo"`), "name"),
			wire.Quote(fmt.Sprint("order ", i)),
			"arguments",
			argument,
		)
		if _, err := s.request("tools/call", params); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}
