package replica

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/state/valkey/valkeytest"
)

// BenchmarkCall measures what the shared state adds to a call in a session that has made some calls before: the claim
// and the write before the answer, as medians. The results have 32 bytes. With durable, the server waits for its disk
// before it answers (appendfsync always).
func BenchmarkCall(b *testing.B) {
	for _, durable := range []bool{false, true} {
		for _, before := range []int{100, 600} {
			b.Run(fmt.Sprintf("durable=%t/after=%d", durable, before), func(b *testing.B) {
				a := newAlices(b, valkeytest.Start(b, durable), "http://a")
				a.held.epoch = 1 // as if the replica had served alice before
				a.claim()
				words := rand.New(rand.NewPCG(1, 2))
				call := func() (claim, write time.Duration) {
					began := time.Now()
					if _, _, err := a.group.ask(b.Context(), "alice", a.held); err != nil {
						b.Fatal(err)
					}
					claim = time.Since(began)
					a.tracker.Check(a.transfer(mcpproxy.External, "nothing in particular", "arguments"))
					a.reads(fmt.Sprintf("%016x%016x", words.Uint64(), words.Uint64()))
					began = time.Now()
					a.answers()
					return claim, time.Since(began)
				}
				for range before {
					call()
				}
				var claims, writes []time.Duration
				for b.Loop() {
					claim, write := call()
					claims, writes = append(claims, claim), append(writes, write)
				}
				slices.Sort(claims)
				slices.Sort(writes)
				b.ReportMetric(float64(claims[len(claims)/2].Microseconds()), "µs-claim")
				b.ReportMetric(float64(writes[len(writes)/2].Microseconds()), "µs-write")
			})
		}
	}
}
