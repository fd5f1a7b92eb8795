package evaluate

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcpproxy/internal/eventually"
)

// A caller that needs a result inspects it itself. Meanwhile all workers may have ended. A task that is added then
// must not wait for the next event.
func TestEventsThatArriveDuringAnInspectionAreInspectedToo(t *testing.T) {
	var p pending
	looking := make(chan struct{})
	goOn := make(chan struct{})
	done := make(chan struct{})
	p.workers = runtime.NumCPU() // all workers are busy with other sessions
	p.later("s", 1, true, func() { close(looking); <-goOn })
	needed := make(chan struct{})
	go func() { p.results("s"); close(needed) }()
	<-looking
	p.mu.Lock()
	p.workers = 0
	p.mu.Unlock()
	p.later("s", 1, false, func() { close(done) })
	idle := func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.workers == 0 && len(p.order) == 0
	}
	eventually.True(t, "no worker has anything to do", idle)
	close(goOn)
	<-needed
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Error("it was forgotten")
	}
}

// The hook that was answered needs a processor until its process has ended.
func TestInspectionWaitsUntilTheHookHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pending
		var looked atomic.Bool
		p.later("s", 1, true, func() { looked.Store(true) })
		time.Sleep(pause - 1)
		synctest.Wait()
		if looked.Load() {
			t.Error("it was looked at at once")
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if !looked.Load() {
			t.Error("it was not looked at")
		}
	})
}

func TestACallerThatNeedsAResultDoesNotPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pending
		looked, start := false, time.Now()
		p.later("s", 1, true, func() { looked = true })
		if p.results("s"); !looked || time.Since(start) > 0 {
			t.Errorf("looked: %t, after %s", looked, time.Since(start))
		}
	})
}
