package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// quiet is the time between the last call of a load and the second reading of the daemon's memory.
const quiet = time.Minute

// The targets for resident memory, in MB.
const (
	mostIdle     = 80  // of an idle daemon
	mostAtRest   = 150 // a minute after the last call
	mostSessions = 400 // under the load of many sessions
	mostEver     = 600 // under any load
)

// memoryLoad is a load under which the daemon's memory is measured.
type memoryLoad struct {
	name       string
	put        func(ctx context.Context, url string) error
	peak, rest float64  // targets; 0 means mostEver and mostAtRest
	env        []string // environment of the daemon
	settings   map[string]any
}

// memoryLoads are the loads. Each is measured with a daemon of its own.
var memoryLoads = []memoryLoad{
	{
		name: "idle",
		put:  func(context.Context, string) error { return nil },
		rest: mostIdle,
	},
	{name: "1 call of 8.4 MB", put: callsAtOnce(echoes, 1, 1, 8_400_000)},
	{name: "4 calls of 8.4 MB at once", put: callsAtOnce(echoes, 4, 1, 8_400_000)},
	{name: "13 calls of 8.4 MB at once", put: callsAtOnce(echoes, 13, 1, 8_400_000)},
	{
		name: "6 calls of 8 MB at once, with 2 GB of memory",
		put:  callsAtOnce(echoes, 6, 1, 8<<20),
		env:  []string{"GOMEMLIMIT=1638MiB"}, // the limit for a container with 2 GB
	},
	{
		name: "8 clients with calls of 9 MB for 10 s",
		put: func(ctx context.Context, url string) error {
			_, err := load(ctx, &process{url: url}, echoes, 9_000_000, 8, 10*time.Second)
			return err
		},
	},
	{
		name: "32 sessions with 60 results of 64 KB each",
		put:  callsAtOnce(reads, 32, 60, 64<<10),
		peak: mostSessions,
	},
	{
		name: "3 scripts with 8 results of 9 MB each at once",
		put: func(ctx context.Context, url string) error {
			return scriptsAtOnce(ctx, strings.TrimSuffix(url, "/s/echo"), 3, 8, 9_000_000)
		},
		settings: map[string]any{"code_execution": map[string]any{"enabled": true, "timeout_secs": 60}},
	},
	{
		name: "130 requests to initialize of 15 MB",
		put:  func(ctx context.Context, url string) error { return greetings(ctx, url, 130, 15<<20) },
	},
	{
		name: "40 bodies of 16 MB that stall",
		put:  func(ctx context.Context, url string) error { return stalledBodies(ctx, url, 40, 16<<20) },
	},
	{
		name: "10 clients that do not read a result of 8 MB",
		put:  func(ctx context.Context, url string) error { return slowReaders(ctx, url, 10, 8<<20) },
	},
}

// callsAtOnce returns a load that calls [atOnce].
func callsAtOnce(w way, clients, calls, size int) func(context.Context, string) error {
	return func(ctx context.Context, url string) error { return atOnce(ctx, url, w, clients, calls, size) }
}

// errOverTarget is the error if a load takes more memory than its target.
var errOverTarget = errors.New("the memory exceeds its target")

// measureMemory prints the daemon's memory under each load whose name contains part: the peak, and the memory a minute
// after the last call. It returns errOverTarget if a value exceeds its target.
func measureMemory(ctx context.Context, dir, part string) error {
	direct, err := start(ctx, self(), "-role", "echo")
	if err != nil {
		return err
	}
	loads := slices.DeleteFunc(
		slices.Clone(memoryLoads),
		func(l memoryLoad) bool { return !strings.Contains(l.name, part) },
	)
	rows := make([]string, len(loads))
	var over atomic.Bool
	var later sync.WaitGroup
	for i, l := range loads {
		proxy, _, err := startProxyWith(ctx, dir, fmt.Sprint("memory", i), echoBehind(direct.url), l.settings, l.env...)
		if err != nil {
			return err
		}
		begin := time.Now()
		if err := l.put(ctx, proxy.url); err != nil { // the other loads are measured anyway
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", l.name, err)
			over.Store(true)
		}
		took := time.Since(begin)
		later.Go(func() {
			time.Sleep(quiet)
			row, ok := l.judged(took, proxy.mostResident(), proxy.resident())
			if rows[i] = row; !ok {
				over.Store(true)
			}
			proxy.end()
		})
	}
	later.Wait()
	fmt.Println("| load | time s | peak RSS MB | target | a minute after the last call MB | target | |")
	fmt.Println("|---|---|---|---|---|---|---|")
	fmt.Println(strings.Join(rows, "\n"))
	if over.Load() {
		return errOverTarget
	}
	return nil
}

// judged returns the row of a load and whether both values meet their targets. A value of 0 means that the process has
// ended; it meets no target.
func (l memoryLoad) judged(took time.Duration, peak, rest float64) (row string, ok bool) {
	mostPeak, mostRest := cmp.Or(l.peak, mostEver), cmp.Or(l.rest, mostAtRest)
	ok = 0 < peak && peak <= mostPeak && 0 < rest && rest <= mostRest
	verdict := "ok"
	if !ok {
		verdict = "**over**"
	}
	return fmt.Sprintf("| %s | %.1f | %.0f | %.0f | %.0f | %.0f | %s |",
		l.name, took.Seconds(), peak, mostPeak, rest, mostRest, verdict), ok
}

// atOnce runs clients at the same time. Each opens a session of its own and makes a number of calls.
func atOnce(ctx context.Context, url string, w way, clients, calls, size int) error {
	failed := make([]error, clients)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			session, err := initialize(ctx, url)
			words := rand.New(rand.NewPCG(uint64(i), uint64(size)))
			for n := 0; n < calls && err == nil; n++ {
				_, err = post(ctx, url, session, w.call(words, n, size))
			}
			failed[i] = err
		})
	}
	wg.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// scriptsAtOnce runs scripts at the same time. Each asks for several results of the given size at once.
func scriptsAtOnce(ctx context.Context, url string, scripts, results, size int) error {
	failed := make([]error, scripts)
	var wg sync.WaitGroup
	for i := range scripts {
		wg.Go(func() {
			code := fmt.Sprintf(
				`async () => { let n = 0; await Promise.all([...Array(%d).keys()].map(async k => {
				n += JSON.stringify(await forge.callTool("echo", "read", { page: %d + k, bytes: %d })).length })); return n }`,
				results, i*results, size,
			)
			arguments := string(wire.Set(nil, wire.Quote(code), "code"))
			for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
				_, err := said(ctx, url, "execute", arguments)
				starting := err != nil && strings.Contains(err.Error(), string(mcpproxy.CodeServerNotFound))
				if failed[i] = err; !starting || time.Now().After(deadline) {
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(failed...)
}

// mostResident returns the peak of the process's resident memory, in MB.
func (p *process) mostResident() float64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(raw), "VmHWM:")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.Atoi(kilobytes)
	return float64(n) / 1024
}

// end kills the process.
func (p *process) end() {
	if of, err := os.FindProcess(p.pid); err == nil {
		_ = of.Kill()
	}
}
