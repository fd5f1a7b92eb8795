package intake

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// However often a server reports a change, its tools are read by one goroutine at a time. All reports during a read
// lead to one more read, at least refreshPause after the last one.
func TestAServerThatAlwaysReportsChangesIsReadAtIntervals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		manager := upstream.NewManager(func(*upstream.Server) {}, func(*upstream.Server, *wire.Message) {})
		manager.Apply([]upstream.Spec{{Name: "chatty"}}) // the server is not connected
		server, _ := manager.Get("chatty")
		var reads, atOnce atomic.Int32
		r := &refresher{
			servers: func() *upstream.Manager { return manager },
			ready:   connected,
			read: func(*upstream.Server) error {
				if atOnce.Add(1) > 1 {
					t.Error("it is read twice at once")
				}
				reads.Add(1)
				time.Sleep(100 * time.Millisecond)
				atOnce.Add(-1)
				return nil
			},
			lists:   map[string]*listing{},
			doubted: map[string]time.Time{},
		}
		var all sync.WaitGroup
		for range 50 {
			for _, one := range r.refresh(server) {
				all.Go(func() { <-one.done })
			}
		}
		all.Wait()
		time.Sleep(2 * refreshPause) // nothing is pending
		if n := reads.Load(); n != 2 {
			t.Errorf("50 messages led to %d readings", n)
		}
		for _, one := range r.refresh(server) {
			<-one.done
		}
		if n := reads.Load(); n != 3 {
			t.Errorf("a later message led to %d readings in all", n)
		}
		manager.Apply(nil)
		time.Sleep(2 * refreshPause)
		for _, one := range r.refresh(server) {
			if <-one.done; one.err == nil || reads.Load() != 3 {
				t.Errorf("a server that was removed is read: %v", one.err)
			}
		}
		time.Sleep(2 * refreshPause)
	})
}

// If a server changes after a call without reporting it, its definitions are read at most doubtPause later. Frequent
// calls do not lead to more frequent reads.
// Shows: RFC-15.
func TestACalledServerIsReadAgainAfterItsLastCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		manager := upstream.NewManager(func(*upstream.Server) {}, func(*upstream.Server, *wire.Message) {})
		manager.Apply([]upstream.Spec{{Name: "quiet"}})
		var reads []time.Duration
		begun := time.Now()
		r := &refresher{
			servers: func() *upstream.Manager { return manager },
			ready:   func(*upstream.Server) bool { return true },
			read: func(*upstream.Server) error {
				reads = append(reads, time.Since(begun))
				return nil
			},
			lists:   map[string]*listing{},
			doubted: map[string]time.Time{},
		}
		for range 10 {
			r.doubt("quiet")
			r.doubt("removed")
			time.Sleep(doubtPause / 12)
		}
		time.Sleep(10 * doubtPause)
		synctest.Wait()
		if want := []time.Duration{0, doubtPause}; !slices.Equal(reads, want) {
			t.Errorf("ten calls within doubtPause had it read after %v, want %v", reads, want)
		}
		r.doubt("quiet")
		time.Sleep(10 * doubtPause)
		synctest.Wait()
		if len(reads) != 3 {
			t.Errorf("a later call had it read after %v", reads)
		}
		manager.Apply(nil)
		time.Sleep(2 * refreshPause)
	})
}
