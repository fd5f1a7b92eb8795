package codemode_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mcpproxy/internal/codemode"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/gatetest"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/sqlite"
)

// BenchmarkTrivialScript measures a trivial script in the sandbox, from the call to the result: once with scripts that
// follow each other directly, so that each waits for a new process, and once with the pauses that real agents make.
func BenchmarkTrivialScript(b *testing.B) {
	for name, pause := range map[string]time.Duration{"at-once": 0, "with-pauses": 200 * time.Millisecond} {
		b.Run(name, func(b *testing.B) {
			r := newRigWith(b, nil, nil, ledgertest.Discard{}, gate.Settings{})
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

// everything returns a rig whose gate has all features of a daemon's gate, and whose log is a file.
func everything(b *testing.B, engine codemode.Engine) *rig {
	store, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "activity.db"))
	if err != nil {
		b.Fatal(err)
	}
	log := ledger.NewLog(store)
	b.Cleanup(func() { log.Close(); store.Close() })
	s := gatetest.Settings()
	s.Tables.DeclaredDestination = ""
	r := newRigWith(b, func(l *codemode.Limits) { l.Calls = 2000 }, engine, log, s)
	if err := s.Detector.Warm(); err != nil {
		b.Fatal(err)
	}
	return r
}

// Measures a thousand calls one after another in a session of their own. The servers answer at once.
func BenchmarkThousandCalls(b *testing.B) {
	r := everything(b, nil)
	for i := 0; b.Loop(); i++ {
		r.runIn(fmt.Sprint("s", i), thousand)
	}
}

// Measures twenty executions that run at the same time. It compares the last one to end with the one in the middle,
// which shows whether any execution has to wait too long.
func BenchmarkTwentyAtOnce(b *testing.B) {
	for _, calls := range []int{1, 20} {
		b.Run(fmt.Sprintf("calls-%d", calls), func(b *testing.B) {
			r := newRigWith(b, nil, nil, ledgertest.Discard{}, gate.Settings{})
			var took []time.Duration
			for b.Loop() {
				done, start := make(chan time.Duration), time.Now()
				for range 20 {
					go func() {
						r.run(
							fmt.Sprintf(
								`for (let i = 0; i < %d; i++) await forge.callTool("notes", "echo", { text: "x" })`,
								calls,
							),
						)
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
