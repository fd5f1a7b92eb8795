package upstream_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"mcpproxy/internal/upstream"
)

// A misbehaving server does not slow down others: the slowest percent of their calls is as fast as without it. The
// test measures both alternately in one run.
// Shows: GW-12.
func TestAMisbehavingServerSlowsNoOther(t *testing.T) {
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
			for range 5 { // other programs on the machine may disturb an attempt
				if ratio = tail(t, good, func(stop <-chan struct{}) { misuse(t, bad, vice, stop) }); ratio <= 1.5 {
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

// misuse calls a tool of the bad server until stop is closed.
func misuse(t *testing.T, s *upstream.Server, vice string, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(10 * time.Millisecond):
			link, err := s.Shared(t.Context())
			if err == nil {
				_, _ = link.Call(t.Context(), tool(vice, "{}"), upstream.CallOptions{})
			}
		}
	}
}

// tail returns how much longer the 99th percentile of calls is while four callers misuse another server. It measures
// alternately with and without the misuse, because a single short measurement could be lucky.
func tail(t *testing.T, s *upstream.Server, misuse func(stop <-chan struct{})) float64 {
	t.Helper()
	var quiet, beside []time.Duration
	for range 8 {
		quiet = append(quiet, calls(t, s, 150)...)
		stop := make(chan struct{})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { misuse(stop) })
		}
		beside = append(beside, calls(t, s, 150)...)
		close(stop)
		wg.Wait()
	}
	return float64(p99(beside)) / float64(p99(quiet))
}

// calls makes n calls and returns their durations.
func calls(t *testing.T, s *upstream.Server, n int) []time.Duration {
	t.Helper()
	link := present(t, s)
	took := make([]time.Duration, n)
	for i := range took {
		begin := time.Now()
		if _, err := link.Call(t.Context(), tool("echo", "{}"), upstream.CallOptions{}); err != nil {
			t.Fatalf("a neighbour's call failed: %v", err)
		}
		took[i] = time.Since(begin)
		time.Sleep(time.Millisecond)
	}
	return took
}

// p99 returns the 99th percentile.
func p99(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)*99/100]
}

// The cost of the guard for one call.
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
