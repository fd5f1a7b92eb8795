package codemode

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"mcpproxy/internal/codemode/frame"
)

// Every call is served once and in order, and never more calls at once than the limit.
func TestTheQueueServesEveryCallOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size, calls := rapid.IntRange(1, 4).Draw(t, "size"), rapid.IntRange(0, 60).Draw(t, "calls")
		slow := rapid.SliceOfN(rapid.IntRange(0, 9), calls, calls).
			Draw(t, "slow")
			// 0 for calls that take longer than patience
		var now, most atomic.Int32
		var mu sync.Mutex
		var begun []uint64
		var all sync.WaitGroup
		all.Add(calls)
		id, open := 0, atomic.Int32{}
		d := callQueue{size: size, receive: func() (frame.Frame, int, bool) {
			if id++; id > calls {
				all.Wait()
				return frame.Frame{}, 0, false
			}
			return frame.Frame{ID: uint64(id - 1)}, int(open.Add(1)), true
		}, serve: func(f frame.Frame) {
			mu.Lock()
			begun = append(begun, f.ID)
			mu.Unlock()
			for n := now.Add(1); n > most.Load(); {
				most.Store(n)
			}
			if slow[f.ID] == 0 {
				time.Sleep(2 * minDelay)
			}
			now.Add(-1)
			open.Add(-1)
			all.Done()
		}}
		d.run()
		if int(most.Load()) > size || d.workers > size+1 {
			t.Fatalf("%d were served at once by %d, %d may", most.Load(), d.workers, size)
		}
		if size == 1 && !slices.IsSorted(begun) {
			t.Fatalf("served: %v", begun)
		}
		slices.Sort(begun)
		if len(begun) != calls || len(slices.Compact(begun)) != calls {
			t.Fatalf("served: %v", begun)
		}
	})
}

// While a script makes one call at a time, a single goroutine receives and serves the calls, so that no goroutine has
// to be woken.
func TestCallsOneAtATimeAreServedByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := 1000
		d := callQueue{size: 8, serve: func(frame.Frame) { time.Sleep(minDelay / 10) }}
		d.receive = func() (frame.Frame, int, bool) {
			left--
			return frame.Frame{}, 1, left >= 0
		}
		d.run()
		if d.workers != 1 || d.parallel {
			t.Errorf("%d have served", d.workers)
		}
	})
}

// If every call takes long but no second call arrives meanwhile, another goroutine is woken less and less often.
func TestTheDelayGrowsWithEveryCallThatComesAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left, woken := 1000, 0
		answered := make(chan struct{}, 1)
		answered <- struct{}{}
		d := callQueue{size: 8}
		d.serve = func(frame.Frame) {
			time.Sleep(maxDelay - 1)
			d.mu.Lock()
			if d.receiving {
				woken++
			}
			d.mu.Unlock()
			answered <- struct{}{}
		}
		d.receive = func() (frame.Frame, int, bool) {
			<-answered
			left--
			return frame.Frame{}, 1, left >= 0
		}
		d.run()
		if woken != 4 || d.parallel {
			t.Errorf("somebody was woken %d times", woken)
		}
	})
}

// A long call does not delay other calls as long as a goroutine is free: another goroutine starts to receive after a
// short delay, or at once if the script has made several calls at a time before.
func TestASlowCallDoesNotHoldUpTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		served := map[uint64]time.Duration{}
		id := uint64(0)
		d := callQueue{size: 2, receive: func() (frame.Frame, int, bool) {
			if id++; id == 7 {
				time.Sleep(time.Minute) // the worker ends after the last answer
				return frame.Frame{}, 0, false
			}
			return frame.Frame{ID: id}, int(id), true
		}, serve: func(f frame.Frame) {
			mu.Lock()
			served[f.ID] = time.Since(start)
			mu.Unlock()
			if f.ID == 1 || f.ID == 4 {
				time.Sleep(10 * time.Second)
			}
		}}
		d.run()
		const first = 10 * time.Second // after call 1 was served
		want := map[uint64]time.Duration{
			1: 0,
			2: minDelay,
			3: minDelay,
			4: minDelay,
			5: first,
			6: first,
		}
		if !maps.Equal(want, served) || d.workers > 3 {
			t.Errorf("served by %d: %v, not %v", d.workers, served, want)
		}
	})
}

// While every goroutine serves a call, the end of the worker is only noticed if one of them also receives.
func TestTheEndIsNoticedWhileCallsAreServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, first := time.Now(), true
		gone := make(chan struct{})
		d := callQueue{size: 1, receive: func() (frame.Frame, int, bool) {
			if first {
				first = false
				return frame.Frame{}, 1, true
			}
			close(gone)
			return frame.Frame{}, 0, false
		}, serve: func(frame.Frame) { <-gone }}
		d.run()
		if took := time.Since(start); took != minDelay {
			t.Errorf("it was heard after %s", took)
		}
	})
}
