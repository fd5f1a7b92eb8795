package daemon

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Limits of the heap's growth before a collection. A small heap may grow to three times the live
// data, because every call leaves little garbage. A large heap may grow by a fixed number of bytes.
// Most data of sessions contains no pointers, so collections stay cheap.
const (
	mostGrowth  = 200 // percent of the live data
	leastGrowth = 20
	room        = 64 << 20 // bytes, for sizes in between
)

// boundHeap limits the heap from now on, unless GOGC is set.
func boundHeap() {
	if os.Getenv("GOGC") == "" {
		boundGrowth(0)
	}
}

// boundGrowth sets the growth for the current live data, and again after every collection.
func boundGrowth(set int) {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if wanted := growth(sample[0].Value.Uint64()); wanted != set {
		debug.SetGCPercent(wanted)
		set = wanted
	}
	runtime.AddCleanup(new([64]byte), boundGrowth, set)
}

// growth returns the allowed growth in percent for a size of live data. It changes in steps,
// because setting it stops the program for a moment.
func growth(live uint64) int {
	const step = 10
	percent := int(room * 100 / max(live, 1) / step * step)
	return max(leastGrowth, min(percent, mostGrowth))
}

// When memory is returned to the system: after a large call or many small ones, once the daemon is
// idle. The runtime does this too, but over minutes, and only after the next collection.
const (
	quietTime  = 10 * time.Second // between two checks
	quietBytes = 8 << 20          // maximum allocated between two checks in an idle daemon
	worthBytes = 2 << 20          // minimum allocated since memory was last returned
)

// giveBack returns memory to the system in idle periods, until ctx ends. Shrink releases memory
// outside the heap.
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
			runtime.GC() // objects in a sync.Pool survive the first collection
			debug.FreeOSMemory()
			given = now
		}
		last = now
	}
}

// allocated returns how many bytes of heap were ever allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
