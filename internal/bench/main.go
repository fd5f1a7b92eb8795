// Command bench measures the cost of mcpproxy. It makes the same calls to the same server in three ways: directly,
// through a minimal pass-through proxy, and through mcpproxy with all features enabled. Each of these is a process of
// its own, and all are measured in one run.
//
// The CPU figures are the user and system time of the proxy's process, divided by the number of calls. They do not
// include the client and the server. Absolute numbers depend on the machine; compare the columns of one run.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	role := flag.String("role", "", "internal: echo, stdio, replay or bare")
	target := flag.String("target", "", "internal: where bare passes to")
	duration := flag.Duration("time", 2*time.Second, "time for each figure")
	hooks := flag.Bool("hooks", false, "measure agents' hooks alone")
	tokens := flag.Bool("tokens", false, "measure what lists of tools cost agents, and nothing else")
	scripts := flag.Bool(
		"scripts",
		false,
		"measure calls of scripts, and nothing else; the server over stdio may follow, as a command",
	)
	memory := flag.Bool(
		"memory",
		false,
		"measure the daemon's memory under load, and nothing else; a part of a load's name may follow",
	)
	replicas := flag.Bool("replicas", false, "measure gateways that share their state and log, and nothing else")
	before := flag.String("before", "", "with -replicas: another build of mcpproxy to compare with")
	rounds := flag.Int("rounds", 8, "with -replicas: rounds into which the time is divided, of which the best counts")
	argument := flag.String("argument", "text", "argument of the server's tool echo")
	sessions := flag.String("sessions", "", "measure calls of the recorded sessions in this folder, and nothing else")
	tools := flag.Int("tools", 0, "internal: tools that echo declares")
	flag.Parse()
	var err error
	switch *role {
	case "echo":
		err = serve(echo{tools: *tools})
	case "stdio":
		err = echo{tools: *tools}.serveStdio()
	case "replay":
		var recorded recording
		if recorded, err = readRecording(*sessions); err == nil {
			err = serve(echo{recorded: recorded})
		}
	case "bare":
		err = serve(bare(*target))
	case "":
		err = run(func(ctx context.Context, dir string) error {
			switch {
			case *sessions != "":
				return measureSessions(ctx, dir, *sessions)
			case *tokens:
				return measureTokens(ctx, dir)
			case *scripts:
				return measureScripts(ctx, dir, flag.Args(), *argument)
			case *memory:
				return measureMemory(ctx, dir, flag.Arg(0))
			case *replicas:
				return measureReplicas(ctx, dir, *before, *duration, max(*rounds, 1))
			case *hooks:
				return measureHooks(ctx, dir)
			}
			return measureAll(ctx, dir, *duration)
		})
	default:
		err = fmt.Errorf("there is no role %q", *role)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run builds the programs in a temporary folder and calls measure with it.
func run(measure func(ctx context.Context, dir string) error) error {
	dir, err := os.MkdirTemp("", "mcpproxy-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := build(dir); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	return measure(ctx, dir)
}

// measureAll measures calls, scripts and hooks.
func measureAll(ctx context.Context, dir string, duration time.Duration) error {
	if err := measure(ctx, dir, duration); err != nil {
		return err
	}
	fmt.Println()
	if err := measureScripts(ctx, dir, nil, "text"); err != nil {
		return err
	}
	fmt.Println()
	return measureHooks(ctx, dir)
}

// payloads are the sizes of the calls and the direction in which the text goes.
var payloads = []struct {
	name string
	way  way
	size int
}{
	{"32 B", echoes, 32},
	{"4 KB", echoes, 4 << 10},
	{"10 KB", echoes, 10 << 10},
	{"10 KB, read", reads, 10 << 10},
	{"10 KB, written", writes, 10 << 10},
	{"64 KB", echoes, 64 << 10},
}

var concurrency = []int{1, 32}

// measure prints how long calls to a server take directly, through the proxy [bare], and through mcpproxy. The
// program mcpproxy is in dir.
func measure(ctx context.Context, dir string, duration time.Duration) error {
	direct, err := start(ctx, self(), "-role", "echo")
	if err != nil {
		return err
	}
	pass, err := start(ctx, self(), "-role", "bare", "-target", direct.url)
	if err != nil {
		return err
	}
	proxy, started, err := startProxy(ctx, dir, "calls", direct.url)
	if err != nil {
		return err
	}
	fmt.Printf(
		"start to ready: %v; resident memory idle: %.0f MB\n\n",
		started.Round(time.Millisecond),
		proxy.resident(),
	)
	fmt.Println(
		"| payload | clients | direct p50 / p95 ms | bare p50 / p95 ms | mcpproxy p50 / p95 ms | bare CPU ms | mcpproxy CPU ms | added CPU ms | p50 ratio to bare |",
	)
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, load := range payloads {
		for _, n := range concurrency {
			f, err := rounds(ctx, load.way, load.size, n, duration, direct, pass, proxy)
			if err != nil {
				return fmt.Errorf("%s: %w", load.name, err)
			}
			d := f[0]
			b := f[1]
			m := f[2]
			fmt.Printf(
				"| %s | %d | %.2f / %.2f | %.2f / %.2f | %.2f / %.2f | %.3f | %.3f | %.3f | %.1f |\n",
				load.name,
				n,
				ms(
					d.p50,
				),
				ms(d.p95),
				ms(b.p50),
				ms(b.p95),
				ms(m.p50),
				ms(m.p95),
				ms(b.cpu),
				ms(m.cpu),
				ms(m.cpu-b.cpu),
				float64(m.p50)/float64(b.p50),
			)
		}
	}
	fmt.Printf("\nresident memory after the run: %.0f MB\n", proxy.resident())
	return nil
}

// rounds measures the processes one after the other, twice, and keeps the better round of each, because other programs
// of the machine disturb a measurement.
func rounds(ctx context.Context, w way, size, clients int, duration time.Duration, of ...*process) ([]figures, error) {
	best := make([]figures, len(of))
	for range 2 {
		for i, p := range of {
			f, err := load(ctx, p, w, size, clients, duration/2)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.url, err)
			}
			if best[i].calls == 0 || f.cpu < best[i].cpu {
				best[i] = f
			}
		}
	}
	return best, nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func self() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}
