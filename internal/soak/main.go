package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

func main() {
	if role := os.Getenv(roleVariable); role != "" {
		play(role)
		return
	}
	length := flag.Duration("time", 30*time.Minute, "how long the agents work; at least 30s")
	agents := flag.Int("agents", 50, "number of agents")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *length, *agents); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		stop()
		os.Exit(1)
	}
}

// memory is a measurement of the daemon's memory.
type memory struct {
	at       time.Duration
	mb       float64 // resident memory in MB
	files    float64 // the part of it that consists of file pages, in MB
	heap     float64 // heap size in bytes
	sessions float64 // number of flow sessions
}

func run(ctx context.Context, length time.Duration, agents int) error {
	if length < 30*time.Second {
		return errors.New("-time: at least 30s are needed to compare the halves of the run")
	}
	dir, err := os.MkdirTemp("", "mpsoak") // the path is short, because a socket's path may have at most 107 bytes
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	d, err := prepare(dir, agents)
	if d != nil {
		defer func() {
			if d.process != nil {
				_ = d.process.Stop(30 * time.Second)
			}
		}()
	}
	if err != nil {
		return err
	}
	j := &journal{began: time.Now()}
	working, end := context.WithTimeout(ctx, length)
	defer end()
	var wg sync.WaitGroup
	for _, token := range d.tokens {
		a := &agent{journal: j, daemon: d, token: token}
		wg.Go(func() { a.work(working) })
	}
	resident, err := trouble(working, d, j.began, length)
	if err != nil {
		end()
	}
	wg.Wait()
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return report(d, j, resident, length)
}

// trouble restarts the daemon and kills its servers while the agents work, and measures the daemon's memory.
func trouble(ctx context.Context, d *daemon, began time.Time, length time.Duration) (resident []memory, err error) {
	stops := []struct {
		at   time.Duration
		kill bool
	}{{length * 15 / 100, false}, {length * 30 / 100, true}}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	every := length / 20
	next := every
	for {
		select {
		case <-ctx.Done():
			return resident, nil
		case <-tick.C:
		}
		now := time.Since(began)
		if len(stops) > 0 && now > stops[0].at {
			if err := d.restart(stops[0].kill); err != nil {
				return nil, err
			}
			stops = stops[1:]
		}
		if now > next {
			d.killServer()
			next += every
		}
		heap, sessions := d.gauges()
		mb, files := d.resident()
		resident = append(resident, memory{
			at:       now,
			mb:       mb,
			files:    files,
			heap:     heap,
			sessions: sessions,
		})
	}
}
