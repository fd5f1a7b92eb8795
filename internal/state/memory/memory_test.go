package memory_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcpproxy/internal/state"
	"mcpproxy/internal/state/memory"
	"mcpproxy/internal/state/statetest"
)

func TestStoreKeepsTheContract(t *testing.T) {
	statetest.Run(
		t,
		func(idle time.Duration, create func(string) *statetest.Value, expired func(string, *statetest.Value)) state.Store[*statetest.Value] {
			return memory.New(idle, create, expired)
		},
	)
}

// ends records the keys that a store ended.
type ends map[string]int

func (e ends) expired(key string, _ *int) { e[key]++ }

func number(string) *int { return new(int) }

func TestIdleTime(t *testing.T) {
	const idle = 30 * time.Minute
	for name, c := range map[string]struct {
		use  func(*memory.Store[*int])
		want int // times that the key ended after idle and a sweep
	}{
		"an unused value ends":                   {func(*memory.Store[*int]) {}, 1},
		"getting a value is a use":               {func(s *memory.Store[*int]) { s.Get("a") }, 0},
		"peeking at a value is no use":           {func(s *memory.Store[*int]) { s.Peek("a") }, 1},
		"listing values does not count as a use": {func(s *memory.Store[*int]) { s.All() }, 1},
		"using another key keeps no other up":    {func(s *memory.Store[*int]) { s.Get("b") }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := ends{}
				s := memory.New(idle, number, e.expired)
				s.Get("a")
				time.Sleep(idle - time.Minute)
				c.use(s)
				time.Sleep(idle/10 + 2*time.Minute)
				synctest.Wait()
				if e["a"] != c.want {
					t.Errorf("ended %d times, want %d", e["a"], c.want)
				}
				s.Close()
				if e["a"] != c.want {
					t.Errorf("Close ended it")
				}
			})
		})
	}
}

func TestWithoutIdleTimeNothingExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := ends{}
		s := memory.New(0, number, e.expired)
		v := s.Get("a")
		time.Sleep(1000 * time.Hour)
		if s.Get("a") != v || len(e) != 0 {
			t.Error("a value expired in a store without an idle time")
		}
		s.Close()
	})
}

// A sweep must not remove a value that is in use. Its user would write into a session that nobody reads any more.
func TestAValueUsedDuringASweepStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *memory.Store[*int]
		other := map[string]string{"a": "b", "b": "a"}
		kept, want := "", (*int)(nil)
		s = memory.New(time.Minute, number, func(key string, _ *int) {
			if kept == "" { // when the first of two keys ends, the other one is used
				kept = other[key]
				want = s.Get(kept)
			}
		})
		s.Get("a")
		s.Get("b")
		time.Sleep(time.Minute + 10*time.Second)
		synctest.Wait()
		if kept == "" {
			t.Fatal("nothing was swept")
		}
		if got, ok := s.Peek(kept); !ok || got != want {
			t.Errorf("the value of %q ended although it had just been used", kept)
		}
		s.Close()
	})
}

// The expiry function (which writes a flow summary) must have finished when Close returns, or the log is closed before
// the summary is written.
func TestCloseWaitsForAnEndingSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var finished atomic.Bool
		s := memory.New(time.Minute, number, func(string, *int) {
			time.Sleep(time.Hour) // as a slow disk would
			finished.Store(true)
		})
		s.Get("a")
		time.Sleep(time.Minute + 20*time.Second) // the sweep is in the expiry function
		s.Close()
		if !finished.Load() {
			t.Error("Close returned while a value was still ending")
		}
		time.Sleep(2 * time.Hour)
	})
}

func ExampleStore() {
	s := memory.New(0,
		func(key string) []string { return []string{"made for " + key} },
		func(key string, v []string) { fmt.Println(key, "ended:", v) })
	fmt.Println(s.Get("session-1"))
	s.End("session-1")
	// Output:
	// [made for session-1]
	// session-1 ended: [made for session-1]
}
