package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpproxy/internal/wire"
)

// step is one recorded call of an agent and what came back.
type step struct {
	Session string          `json:"session"`
	Tool    string          `json:"tool"` // empty for a message of the user, which is left out
	Args    json.RawMessage `json:"args"`
	Result  json.RawMessage `json:"result"`
}

// size returns how many bytes go there and back.
func (s *step) size() int { return len(s.Args) + len(s.Result) }

// recording are the calls of recorded sessions, in their order.
type recording []step

// readRecording reads the files NAME.steps.jsonl of a folder, as `mcpproxy eval flow` has them.
func readRecording(dir string) (recording, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.steps.jsonl"))
	if err != nil {
		return nil, err
	}
	var all recording
	for _, name := range files {
		if all, err = all.readFile(name); err != nil {
			return nil, fmt.Errorf("reading recorded sessions: %w", err)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no recorded calls in %s: name a folder with files *.steps.jsonl", dir)
	}
	return all, nil
}

// readFile appends the calls of one file.
func (r recording) readFile(name string) (recording, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var s step
			if err := json.Unmarshal(line, &s); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if s.Tool != "" {
				r = append(r, s)
			}
		}
		if errors.Is(err, io.EOF) {
			return r, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// tools returns what the server of a recording lists: every tool that is called, with any arguments.
func (r recording) tools() []byte {
	var names []string
	for i := range r {
		names = append(names, r[i].Tool)
	}
	slices.Sort(names)
	var b bytes.Buffer
	b.WriteString(`{"tools":[`)
	for i, name := range slices.Compact(names) {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":%s,"inputSchema":{"type":"object"}}`, wire.Quote(name))
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// recordedCall is the member of a request's _meta that says which recorded call it is.
const recordedCall = "bench/call"

// request returns the recorded call of that number.
func (r recording) request(n int) []byte {
	args := r[n].Args
	if len(args) == 0 || args[0] != '{' {
		args = []byte(`{}`)
	}
	params := wire.Set(wire.Set(nil, wire.Quote(r[n].Tool), "name"), args, "arguments")
	params = wire.Set(params, strconv.AppendInt(nil, int64(n), 10), "_meta", recordedCall)
	return wire.NewRequest(wire.IntID(int64(n+1)), "tools/call", params).Raw
}

// result returns what came back of the recorded call that a request names, as JSON.
func (r recording) result(params []byte) []byte {
	n, err := strconv.Atoi(string(wire.Member(params, "_meta", recordedCall)))
	if err != nil || n < 0 || n >= len(r) || len(r[n].Result) == 0 {
		return []byte(`""`)
	}
	if r[n].Result[0] == '"' {
		return r[n].Result
	}
	return wire.Quote(string(r[n].Result))
}

// sizeClasses are what the calls of a recording are counted by: bytes there and back.
var sizeClasses = []struct {
	name string
	most int
}{
	{"up to 256 B", 256},
	{"up to 1 KB", 1 << 10},
	{"up to 4 KB", 4 << 10},
	{"up to 16 KB", 16 << 10},
	{"more", 1 << 40},
}

// classCost is what the calls of one class came to.
type classCost struct {
	took []time.Duration
	cpu  time.Duration
}

// measureSessions replays recorded sessions through a bare proxy and through mcpproxy. What is
// done behind an answer counts for the call that follows it.
func measureSessions(ctx context.Context, dir, folder string) error {
	all, err := readRecording(folder)
	if err != nil {
		return err
	}
	server, err := start(ctx, self(), "-role", "replay", "-sessions", folder)
	if err != nil {
		return err
	}
	pass, err := start(ctx, self(), "-role", "bare", "-target", server.url)
	if err != nil {
		return err
	}
	proxy, _, err := startProxy(ctx, dir, "sessions", server.url)
	if err != nil {
		return err
	}
	bare, err := all.replay(ctx, pass)
	if err != nil {
		return err
	}
	ours, err := all.replay(ctx, proxy)
	if err != nil {
		return err
	}
	fmt.Println("| size | calls | bare p50 ms | mcpproxy p50 / p95 ms | bare CPU ms | mcpproxy CPU ms | added CPU ms |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for i, class := range append([]classCost{total(ours)}, ours...) {
		name, plain := "all", total(bare)
		if i > 0 {
			name, plain = sizeClasses[i-1].name, bare[i-1]
		}
		if n := time.Duration(len(class.took)); n > 0 {
			fmt.Printf("| %s | %d | %.2f | %.2f / %.2f | %.3f | %.3f | %.3f |\n", name, n, ms(plain.at(50)), ms(class.at(50)),
				ms(class.at(95)), ms(plain.cpu/n), ms(class.cpu/n), ms((class.cpu-plain.cpu)/n))
		}
	}
	fmt.Printf("\nresident memory after the run: %.0f MB\n", proxy.resident())
	return nil
}

// total returns the cost of all classes.
func total(classes []classCost) (all classCost) {
	for _, c := range classes {
		all.took = append(all.took, c.took...)
		all.cpu += c.cpu
	}
	return all
}

// at returns how long a call took at most, of so many in a hundred.
func (c classCost) at(percent int) time.Duration {
	slices.Sort(c.took)
	return c.took[min(len(c.took)*percent/100, len(c.took)-1)]
}

// replay makes the recorded calls, each session's in one of its own, and returns what they cost by size.
func (r recording) replay(ctx context.Context, p *process) ([]classCost, error) {
	costs := make([]classCost, len(sizeClasses))
	session, last := "", ""
	for n := range r {
		if session == "" || r[n].Session != last {
			if session != "" {
				end(ctx, p.url, session)
			}
			var err error
			if session, err = initialize(ctx, p.url); err != nil {
				return nil, err
			}
			last = r[n].Session
		}
		class := 0
		for r[n].size() > sizeClasses[class].most {
			class++
		}
		before, begin := p.threads(), time.Now()
		if _, err := post(ctx, p.url, session, r.request(n)); err != nil && !errors.Is(err, errRefused) {
			return nil, fmt.Errorf("call %d: %w", n, err)
		}
		costs[class].took = append(costs[class].took, time.Since(begin))
		costs[class].cpu += p.threads() - before
	}
	return costs, nil
}

// end ends a session: the proxy keeps so many open. A server that keeps none refuses, which is as good.
func end(ctx context.Context, url, session string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, url, http.NoBody)
	if err != nil {
		return
	}
	req.Header.Set("X-API-Key", benchKey)
	req.Header.Set(wire.HeaderSession, session)
	if resp, err := client.Do(req); err == nil {
		_ = resp.Body.Close()
	}
}

// threads returns the processor time of a process's threads, to the nanosecond, which [process.cpu] is not.
func (p *process) threads() time.Duration {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.pid))
	sum := int64(0)
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue // the thread has ended
		}
		spent, _, _ := strings.Cut(string(raw), " ")
		n, _ := strconv.ParseInt(spent, 10, 64)
		sum += n
	}
	return time.Duration(sum)
}
