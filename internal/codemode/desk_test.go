package codemode

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcpproxy/internal/codemode/frame"
)

// Every call is served once, in order, and never more at once than may be.
func TestTheDeskServesEveryCallOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size, calls := rapid.IntRange(1, 4).Draw(t, "size"), rapid.IntRange(0, 60).Draw(t, "calls")
		var d desk
		var now, most atomic.Int32
		var mu sync.Mutex
		var begun []uint64
		var all sync.WaitGroup
		all.Add(calls)
		d.open(size, func(f frame.Frame) {
			mu.Lock()
			begun = append(begun, f.ID)
			mu.Unlock()
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			now.Add(-1)
			all.Done()
		})
		for id := range calls {
			d.put(frame.Frame{ID: uint64(id)})
		}
		all.Wait()
		d.close()
		if int(most.Load()) > size || d.staff > size {
			t.Fatalf("%d were served at once by %d, %d may", most.Load(), d.staff, size)
		}
		seen := map[uint64]bool{}
		for i, id := range begun {
			if seen[id] || size == 1 && id != uint64(i) {
				t.Fatalf("served: %v", begun)
			}
			seen[id] = true
		}
	})
}

// A call that takes long keeps nobody else from being served, as long as there is
// somebody to serve.
func TestASlowCallDoesNotHoldUpTheDesk(t *testing.T) {
	var d desk
	slow, served := make(chan struct{}), make(chan uint64)
	d.open(2, func(f frame.Frame) {
		if f.ID == 0 {
			<-slow
		}
		served <- f.ID
	})
	for id := range 4 {
		d.put(frame.Frame{ID: uint64(id)})
	}
	for want := uint64(1); want < 4; want++ {
		if got := <-served; got != want {
			t.Errorf("call %d was served, not %d", got, want)
		}
	}
	close(slow)
	if got := <-served; got != 0 {
		t.Errorf("call %d was served at the end", got)
	}
	d.close()
}

func TestAClosedDeskServesNothingMore(t *testing.T) {
	var d desk
	began, end := make(chan struct{}), make(chan struct{})
	var served atomic.Int32
	d.open(1, func(frame.Frame) {
		served.Add(1)
		close(began)
		<-end
	})
	for range 3 {
		d.put(frame.Frame{})
	}
	<-began
	done := make(chan struct{})
	go func() { d.close(); close(done) }()
	for closed := false; !closed; time.Sleep(time.Millisecond) {
		d.mu.Lock()
		closed = d.closed
		d.mu.Unlock()
	}
	close(end)
	<-done
	if served.Load() != 1 {
		t.Errorf("%d calls were served", served.Load())
	}
}
