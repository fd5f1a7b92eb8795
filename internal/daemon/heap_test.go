package daemon

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"mcpproxy/internal/eventually"
)

func TestTheGrowthOfTheHeapIsLimited(t *testing.T) {
	last := mostGrowth
	for live := uint64(1); live < 8<<30; live += live/7 + 1 {
		percent := growth(live)
		if percent > last {
			t.Errorf("%d bytes may grow by %d %%, fewer by %d %%", live, percent, last)
		}
		if grows := live * uint64(percent) / 100; grows > room && percent > leastGrowth {
			t.Errorf("%d bytes may grow by %d", live, grows)
		}
		last = percent
	}
	if growth(10<<20) != mostGrowth || growth(1<<30) != leastGrowth {
		t.Errorf("10 MB may grow by %d %%, 1 GB by %d %%", growth(10<<20), growth(1<<30))
	}
}

// The limit of the heap follows the data of the sessions when it grows and when it shrinks.
func TestTheHeapIsBoundedWhileItGrowsAndShrinks(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	boundHeap()
	is := func() int {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return int(sample[0].Value.Uint64())
	}
	becomes := func(ok func(percent int) bool, when string) {
		t.Helper()
		eventually.SucceedsWithin(t, 5*time.Second, "the heap has its bound "+when, func() error {
			if ok(is()) {
				return nil
			}
			runtime.GC()
			return fmt.Errorf("it may grow by %d %%", is())
		})
	}
	becomes(func(p int) bool { return p > 100 }, "at first")
	held := make([][]byte, 0, 300)
	for range 300 {
		held = append(held, make([]byte, 1<<20))
	}
	becomes(func(p int) bool { return p == leastGrowth }, "with 300 MB")
	runtime.KeepAlive(held)
	held = nil
	becomes(func(p int) bool { return p > 100 }, "when they are forgotten")
}
