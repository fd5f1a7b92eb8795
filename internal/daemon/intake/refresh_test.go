package intake

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// However often a server says that its tools changed, they are read once at a time, once more
// for all that was said meanwhile, and never sooner than refreshPause after the last time.
func TestAServerThatKeepsSayingThatItChangedIsReadNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		manager := upstream.NewManager(func(*upstream.Server) {}, func(*upstream.Server, *wire.Message) {})
		manager.Apply([]upstream.Spec{{Name: "chatty"}}) // it is not connected
		server, _ := manager.Get("chatty")
		var reads, atOnce atomic.Int32
		r := &refresher{
			servers: func() *upstream.Manager { return manager },
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
		time.Sleep(2 * refreshPause) // nothing is left to do
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
