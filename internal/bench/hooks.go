package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	spawned      = 500                    // runs of the hook for each figure
	betweenCalls = 100 * time.Millisecond // real agents take longer between two calls
	roundsAtOnce = 20                     // repetitions of a measurement with concurrent hooks
)

// measureHooks measures the time from the start to the end of a mcpproxy-hook process, which is started as agents
// start it. It starts a daemon for the hooks.
func measureHooks(ctx context.Context, dir string) error {
	hook := filepath.Join(dir, "mcpproxy-hook")
	proxy, _, err := startProxy(ctx, dir, "hooks", "http://127.0.0.1:1/")
	if err != nil {
		return err
	}
	info, err := os.Stat(hook)
	if err != nil {
		return err
	}
	h := &hooks{path: hook, socket: filepath.Join(dir, "hooks", "mcpproxy.sock")}
	fmt.Printf(
		"mcpproxy-hook: %.1f MB\n\n| payload | event | p50 ms | p95 ms | unanswered |\n|---|---|---|---|---|\n",
		float64(info.Size())/1e6,
	)
	for _, c := range []struct {
		name  string
		event string
		size  int
		rest  time.Duration
	}{
		{"nothing listens", "", 1 << 10, 0},
		{"1 KB", "PreToolUse", 1 << 10, 0},
		{"1 KB", "PostToolUse", 1 << 10, 0},
		{"200 KB", "PreToolUse", 200 << 10, betweenCalls},
		{"200 KB", "PostToolUse", 200 << 10, betweenCalls},
		{"200 KB, without a rest", "PreToolUse", 200 << 10, 0},
		{"200 KB, without a rest", "PostToolUse", 200 << 10, 0},
	} {
		took, unanswered := h.several(ctx, c.event, c.size, c.rest)
		fmt.Printf(
			"| %s | %s | %.1f | %.1f | %d |\n",
			c.name,
			c.event,
			ms(took[len(took)/2]),
			ms(took[len(took)*95/100]),
			unanswered,
		)
	}
	h.agents = "fresh" // new sessions, which have not read hundreds of large files
	for _, n := range []int{50, 200, 400} {
		var all []time.Duration
		lost := 0
		for range roundsAtOnce {
			took, unanswered := h.together(ctx, n)
			all, lost = append(all, took...), lost+unanswered
		}
		slices.Sort(all)
		fmt.Printf(
			"| 1 KB, %d at once, %d times | PreToolUse | %.1f | %.1f | %d |\n",
			n,
			roundsAtOnce,
			ms(all[len(all)/2]),
			ms(all[len(all)*95/100]),
			lost,
		)
	}
	return h.stopped(ctx, proxy.pid)
}

// stopped measures hooks while the daemon is suspended by SIGSTOP, as a debugger does it.
func (h *hooks) stopped(ctx context.Context, pid int) error {
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return err
	}
	defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
	var took []time.Duration
	for range roundsAtOnce {
		d, _ := h.one(ctx, "PreToolUse", h.socket, h.payload("PreToolUse", 1<<10))
		took = append(took, d)
	}
	slices.Sort(took)
	fmt.Printf(
		"| 1 KB, the daemon stopped | PreToolUse | %.1f | %.1f | all |\n",
		ms(took[len(took)/2]),
		ms(took[len(took)*95/100]),
	)
	return nil
}

// hooks starts hook processes and creates their input.
type hooks struct {
	path, socket string
	n            int
	agents       string // prefix of the session ids
}

// payload returns a hook's input of about the given size. Every input is different.
func (h *hooks) payload(event string, size int) []byte {
	h.n++
	text := strings.Repeat(
		fmt.Sprintf("order %d was paid for in the shop and sent to the town where it was wanted\n", h.n),
		size/70,
	)
	p := map[string]any{
		"session_id":      fmt.Sprint(h.agents, h.n%20),
		"transcript_path": "/t",
		"cwd":             "/w",
		"hook_event_name": event,
		"tool_name":       "Write",
		"tool_use_id":     fmt.Sprint("t", h.n),
		"tool_input":      map[string]string{"file_path": "/w/a", "content": text},
	}
	if event == "PostToolUse" {
		p["tool_name"] = "Read"
		p["tool_input"] = map[string]string{"file_path": "/w/a"}
		p["tool_response"] = text
	}
	raw, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	return raw
}

// one runs one hook. It returns how long the hook took and whether the daemon answered it.
func (h *hooks) one(ctx context.Context, event, socket string, payload []byte) (time.Duration, bool) {
	cmd := exec.CommandContext(ctx, h.path, "--agent", "claude-code", "--event", event, "--verbose")
	cmd.Env = []string{"MCPPROXY_SOCKET=" + socket}
	cmd.Stdin = bytes.NewReader(payload)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	start := time.Now()
	err := cmd.Run()
	return time.Since(start), err == nil && complaint.Len() == 0
}

// several runs hooks one after the other, with a pause between them. If event is empty, the hooks use a socket on
// which nothing listens.
func (h *hooks) several(
	ctx context.Context,
	event string,
	size int,
	rest time.Duration,
) (took []time.Duration, unanswered int) {
	socket := h.socket
	if event == "" {
		socket += ".none"
	}
	for range spawned {
		d, ok := h.one(ctx, event, socket, h.payload(event, size))
		took = append(took, d)
		if !ok {
			unanswered++
		}
		time.Sleep(rest)
	}
	slices.Sort(took)
	return took, unanswered
}

// together runs n hooks at the same time.
func (h *hooks) together(ctx context.Context, n int) (took []time.Duration, unanswered int) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range n {
		payload := h.payload("PreToolUse", 1<<10)
		wg.Go(func() {
			d, ok := h.one(ctx, "PreToolUse", h.socket, payload)
			mu.Lock()
			defer mu.Unlock()
			took = append(took, d)
			if !ok {
				unanswered++
			}
		})
	}
	wg.Wait()
	return took, unanswered
}
