package daemon

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// How far the heap grows beyond what lives before it is collected: to three times that
// while it is small, as every call leaves a little to collect; and by a bounded number of
// bytes when sessions hold much. Most of what they hold has no pointers, so that
// collecting stays cheap.
const (
	mostGrowth  = 200 // percent of what lives
	leastGrowth = 20
	room        = 64 << 20 // bytes, between the two
)

// boundHeap bounds the heap from now on, unless GOGC says how.
func boundHeap() {
	if os.Getenv("GOGC") == "" {
		boundGrowth(0)
	}
}

// boundGrowth sets the growth that suits what lives, unless it is set already, and does so
// again after every collection.
func boundGrowth(set int) {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if wanted := growth(sample[0].Value.Uint64()); wanted != set {
		debug.SetGCPercent(wanted)
		set = wanted
	}
	runtime.AddCleanup(new([64]byte), boundGrowth, set)
}

// growth is how far the heap may grow when so many bytes live, in percent of them. It
// goes in steps: to set another one stops the program for a moment.
func growth(live uint64) int {
	const step = 10
	percent := int(room * 100 / max(live, 1) / step * step)
	return max(leastGrowth, min(percent, mostGrowth))
}

// When memory is given back to the system: after a large call, or many small ones, once
// the daemon has been quiet. The runtime does it too, over minutes, and only after the
// next collection.
const (
	quietTime  = 10 * time.Second // between two looks
	quietBytes = 8 << 20          // allocated between two looks, at most, in a quiet daemon
	worthBytes = 2 << 20          // allocated since memory was last given back
)

// giveBack gives memory back to the system in quiet times, until ctx ends. Shrink lets go of
// memory that is not on the heap.
func giveBack(ctx context.Context, shrink func()) {
	tick := time.NewTicker(quietTime)
	defer tick.Stop()
	last, given := allocated(), uint64(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := allocated()
		if now-last <= quietBytes && now-given >= worthBytes {
			shrink()
			runtime.GC() // what lies idle in a sync.Pool outlives the first collection
			debug.FreeOSMemory()
			given = now
		}
		last = now
	}
}

// allocated is how many bytes of heap were ever allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
