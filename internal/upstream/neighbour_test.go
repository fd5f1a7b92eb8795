package upstream_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"mcpproxy/internal/upstream"
)

// What one server does, its neighbours do not feel: their slowest calls in a
// hundred stay as quick as without it. Both are measured in turns, in one run.
func TestABadServerSlowsNoOther(t *testing.T) {
	for _, vice := range []string{"hang", "die", "slow", "flood", "huge", leaking} {
		t.Run(vice, func(t *testing.T) {
			good, _ := start(t, stdioSpec(t, "plain"))
			works(t, good)
			spec := stdioSpec(t, "plain")
			spec.Name, spec.Timeout = "bad", 200*time.Millisecond
			spec.Limits = upstream.Limits{Recovery: time.Second}
			spec.Isolation = &upstream.Isolation{MemoryMB: memoryMB}
			bad, _ := start(t, spec)
			works(t, bad)
			var ratio float64
			for range 20 { // other programs of the machine may disturb a try
				quiet := p99(t, good, 400)
				stop := make(chan struct{})
				var wg sync.WaitGroup
				for range 4 {
					wg.Go(func() { misuse(t, bad, vice, stop) })
				}
				ratio = float64(p99(t, good, 400)) / float64(quiet)
				close(stop)
				wg.Wait()
				if ratio <= 1.5 {
					return
				}
			}
			if st := good.Status(); st.Faults != 0 || st.Breaker != upstream.Closed {
				t.Errorf("%+v", st)
			}
			t.Errorf("the neighbour's p99 is %.2f times its quiet value", ratio)
		})
	}
}

// misuse calls the tool of a bad server until stop is closed.
func misuse(t *testing.T, s *upstream.Server, vice string, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(10 * time.Millisecond):
			link, err := s.Shared(t.Context())
			if err == nil {
				_, _ = link.Call(t.Context(), tool(vice, "{}"), nil)
			}
		}
	}
}

// p99 is the 99th percentile of n calls.
func p99(t *testing.T, s *upstream.Server, n int) time.Duration {
	t.Helper()
	link := present(t, s)
	took := make([]time.Duration, n)
	for i := range took {
		begin := time.Now()
		if _, err := link.Call(t.Context(), tool("echo", "{}"), nil); err != nil {
			t.Fatalf("a neighbour's call failed: %v", err)
		}
		took[i] = time.Since(begin)
		time.Sleep(time.Millisecond)
	}
	slices.Sort(took)
	return took[n*99/100]
}

// What the guard itself costs a call.
func BenchmarkGuard(b *testing.B) {
	for name, l := range map[string]upstream.Limits{"breaker and bulkhead": {}, "with a rate limit": {Rate: 1e9}} {
		b.Run(name, func(b *testing.B) {
			pass := upstream.GuardOnly(l)
			b.ReportAllocs()
			for b.Loop() {
				if err := pass(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
