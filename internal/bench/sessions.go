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

// step is a recorded call of an agent with its result.
type step struct {
	Session string          `json:"session"`
	Tool    string          `json:"tool"` // empty for a message of the user, which is skipped
	Args    json.RawMessage `json:"args"`
	Result  json.RawMessage `json:"result"`
}

// size returns the size of the call and its result, in bytes.
func (s *step) size() int { return len(s.Args) + len(s.Result) }

// recording holds the calls of recorded sessions, in order.
type recording []step

// readRecording reads the files NAME.steps.jsonl of a folder, which have the format of `mcpproxy eval flow`.
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

// readFile appends the calls in one file.
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

// tools returns the tool list of a recording: every called tool, with any arguments.
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

// recordedCall is the member of a request's _meta that contains the index of the recorded call.
const recordedCall = "bench/call"

// request returns the recorded call with index n as a request.
func (r recording) request(n int) []byte {
	args := r[n].Args
	if len(args) == 0 || args[0] != '{' {
		args = []byte(`{}`)
	}
	params := wire.Set(wire.Set(nil, wire.Quote(r[n].Tool), "name"), args, "arguments")
	params = wire.Set(params, strconv.AppendInt(nil, int64(n), 10), "_meta", recordedCall)
	return wire.NewRequest(wire.IntID(int64(n+1)), "tools/call", params).Raw
}

// result returns the recorded result of the call that a request names, as a JSON string.
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

// sizeClasses group the calls of a recording by their size in bytes, including the result.
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

// classCost is the cost of the calls of one class.
type classCost struct {
	took []time.Duration
	cpu  time.Duration
}

// measureSessions replays recorded sessions through a bare proxy and through mcpproxy. The work that mcpproxy does
// after it has answered a call counts for the next call.
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

// at returns the given percentile of the times of calls.
func (c classCost) at(percent int) time.Duration {
	slices.Sort(c.took)
	return c.took[min(len(c.took)*percent/100, len(c.took)-1)]
}

// replay makes the recorded calls, each recorded session in a new session, and returns the cost of each class.
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

// end ends a session, because the proxy limits the number of open sessions. A server without sessions refuses the
// request, which does no harm.
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

// threads returns the processor time of the process's threads. It is exact to the nanosecond, unlike [process.cpu].
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
