package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// quiet is how long after the last call of a load the daemon's memory is read again.
const quiet = time.Minute

// memoryLoad is what the daemon's memory is measured under.
type memoryLoad struct {
	name string
	put  func(ctx context.Context, url string) error
}

// memoryLoads are put on daemons of their own.
var memoryLoads = []memoryLoad{
	{"idle", func(context.Context, string) error { return nil }},
	{
		"1 call of 8.4 MB",
		func(ctx context.Context, url string) error { return atOnce(ctx, url, echoes, 1, 1, 8_400_000) },
	},
	{
		"4 calls of 8.4 MB at once",
		func(ctx context.Context, url string) error { return atOnce(ctx, url, echoes, 4, 1, 8_400_000) },
	},
	{
		"13 calls of 8.4 MB at once",
		func(ctx context.Context, url string) error { return atOnce(ctx, url, echoes, 13, 1, 8_400_000) },
	},
	{"8 clients with calls of 9 MB for 10 s", func(ctx context.Context, url string) error {
		_, err := load(ctx, &process{url: url}, echoes, 9_000_000, 8, 10*time.Second)
		return err
	}},
	{
		"32 sessions with 60 results of 64 KB each",
		func(ctx context.Context, url string) error { return atOnce(ctx, url, reads, 32, 60, 64<<10) },
	},
}

// measureMemory prints how much memory the daemon takes, at most and a minute after the
// last call, under each load whose name contains part.
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
	var later sync.WaitGroup
	for i, l := range loads {
		proxy, _, err := startProxy(ctx, dir, fmt.Sprint("memory", i), direct.url)
		if err != nil {
			return err
		}
		begin := time.Now()
		if err := l.put(ctx, proxy.url); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		took := time.Since(begin)
		later.Go(func() {
			time.Sleep(quiet)
			rows[i] = fmt.Sprintf(
				"| %s | %.1f | %.0f | %.0f |",
				l.name,
				took.Seconds(),
				proxy.mostResident(),
				proxy.resident(),
			)
			proxy.end()
		})
	}
	later.Wait()
	fmt.Println("| load | time s | peak RSS MB | RSS a minute after the last call MB |")
	fmt.Println("|---|---|---|---|")
	fmt.Println(strings.Join(rows, "\n"))
	return nil
}

// atOnce has clients call a tool a number of times each, all at once and each in a
// session of its own.
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

// mostResident is the most memory that the process has had, in MB.
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

// end stops the process.
func (p *process) end() {
	if of, err := os.FindProcess(p.pid); err == nil {
		_ = of.Kill()
	}
}
