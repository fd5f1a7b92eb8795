package codemode_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"mcpproxy/internal/codemode"
)

// BenchmarkTrivialScript is a trivial script, confined, from the call to the result:
// one right after the other, each of which waits for the next process to start, and
// as agents run them, with time to think in between.
func BenchmarkTrivialScript(b *testing.B) {
	for name, pause := range map[string]time.Duration{"at-once": 0, "with-pauses": 200 * time.Millisecond} {
		b.Run(name, func(b *testing.B) {
			r := newRig(b, nil, nil)
			r.forgets = true
			r.run(`1`)
			var took []time.Duration
			for b.Loop() {
				b.StopTimer()
				time.Sleep(pause)
				b.StartTimer()
				start := time.Now()
				r.run(`async () => 1`)
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100])/1e6, "p95-ms")
		})
	}
}

// A thousand calls one after the other; the servers answer at once.
func BenchmarkThousandCalls(b *testing.B) {
	r := newRig(b, func(l *codemode.Limits) { l.Calls = 2000 }, nil)
	r.forgets = true
	for b.Loop() {
		r.run(`for (let i = 0; i < 1000; i++) await forge.callTool("notes", "echo", { text: "x" })`)
	}
}

// Twenty executions at once on as many places as there are: all of them, and the
// one that ended last against the one in the middle, which shows whether any starves.
func BenchmarkTwentyAtOnce(b *testing.B) {
	for _, calls := range []int{1, 20} {
		b.Run(fmt.Sprintf("calls-%d", calls), func(b *testing.B) {
			r := newRig(b, nil, nil)
			r.forgets = true
			var took []time.Duration
			for b.Loop() {
				done, start := make(chan time.Duration), time.Now()
				for range 20 {
					go func() {
						r.run(fmt.Sprintf(`for (let i = 0; i < %d; i++) await forge.callTool("notes", "echo", { text: "x" })`, calls))
						done <- time.Since(start)
					}()
				}
				for range 20 {
					took = append(took, <-done)
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2])/1e6, "median-ms")
			b.ReportMetric(float64(took[len(took)-1])/1e6, "slowest-ms")
		})
	}
}
