// Package statetest holds the contract that every state.Store must keep.
package statetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"mcpproxy/internal/eventually"
	"mcpproxy/internal/state"
)

// Value is the type of the values that the contract stores. Values are compared by identity.
type Value struct{ Key string }

// Open returns a store for a test, which closes it.
type Open func(idle time.Duration, create func(key string) *Value, expired func(key string,
	v *Value)) state.Store[*Value]

// ending is one call of a store's expiry function.
type ending struct {
	key   string
	value *Value
}

// journal counts how often values are created and expire.
type journal struct {
	mu    sync.Mutex
	made  map[string]int
	ended map[ending]int
}

func newJournal() *journal { return &journal{made: map[string]int{}, ended: map[ending]int{}} }

func (j *journal) create(key string) *Value {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.made[key]++
	return &Value{Key: key}
}

func (j *journal) expired(key string, v *Value) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ended[ending{key, v}]++
}

// times returns how often v was reported as ended under key.
func (j *journal) times(key string, v *Value) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.ended[ending{key, v}]
}

// balance checks that every created value was reported as ended exactly once.
func (j *journal) balance(t *testing.T) {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	made, ended := 0, 0
	for _, n := range j.made {
		made += n
	}
	for e, n := range j.ended {
		if n != 1 {
			t.Errorf("the value of %q was reported as ended %d times", e.key, n)
		}
		if e.value == nil || e.value.Key != e.key {
			t.Errorf("the key %q ended with the value %+v of another key", e.key, e.value)
		}
		ended++
	}
	if made != ended {
		t.Errorf("%d values were made, %d ended", made, ended)
	}
}

// Run tests the stores that open returns against the contract of state.Store.
func Run(t *testing.T, open Open) {
	for name, check := range map[string]func(*testing.T, Open){
		"a key keeps its value":                                    keepsValue,
		"keys do not share values":                                 separateKeys,
		"peeking makes nothing":                                    peekMakesNothing,
		"a created value is told its key":                          createdWithKey,
		"End expires a key at once, and only once":                 endOnce,
		"a key that ended starts anew":                             startsAnew,
		"All is a copy of what is present":                         allIsCopy,
		"what is put is found, and expires as if made here":        putExpires,
		"what is put replaces and ends what was there":             putReplaces,
		"Close ends nothing, and nothing ends after it":            closeEndsNothing,
		"idle values expire without being asked for":               idleExpires,
		"many users of one key see one value":                      oneValueForMany,
		"values that end while others use the store end only once": endsUnderLoad,
	} {
		t.Run(name, func(t *testing.T) { check(t, open) })
	}
}

func keepsValue(t *testing.T, open Open) {
	s := open(time.Hour, newJournal().create, nil)
	defer s.Close()
	first := s.Get("a")
	if again := s.Get("a"); again != first {
		t.Errorf("Get gave %p, then %p", first, again)
	}
	if v, ok := s.Peek("a"); !ok || v != first {
		t.Errorf("Peek gave %p, %v; want %p", v, ok, first)
	}
}

func separateKeys(t *testing.T, open Open) {
	s := open(time.Hour, newJournal().create, nil)
	defer s.Close()
	if s.Get("a") == s.Get("b") {
		t.Error("two keys share a value")
	}
	if s.Get("") == s.Get(" ") {
		t.Error("the empty key and a space share a value")
	}
}

func peekMakesNothing(t *testing.T, open Open) {
	j := newJournal()
	s := open(time.Hour, j.create, j.expired)
	defer s.Close()
	if v, ok := s.Peek("a"); ok || v != nil {
		t.Errorf("Peek found %v", v)
	}
	if len(s.All()) != 0 || len(j.made) != 0 {
		t.Errorf("Peek made a value: %v", s.All())
	}
}

func createdWithKey(t *testing.T, open Open) {
	s := open(time.Hour, newJournal().create, nil)
	defer s.Close()
	if v := s.Get("principal:alice"); v.Key != "principal:alice" {
		t.Errorf("made for key %q", v.Key)
	}
}

func endOnce(t *testing.T, open Open) {
	j := newJournal()
	s := open(time.Hour, j.create, j.expired)
	defer s.Close()
	v := s.Get("a")
	if !s.End("a") {
		t.Error("End says there was no such key")
	}
	if n := j.times("a", v); n != 1 {
		t.Errorf("after End the expiry function was called %d times", n)
	}
	if s.End("a") || s.End("never") {
		t.Error("End says it ended a key that is not there")
	}
	if n := j.times("a", v); n != 1 {
		t.Errorf("a second End called the expiry function again (%d)", n)
	}
	if _, ok := s.Peek("a"); ok {
		t.Error("the key is still there")
	}
}

func startsAnew(t *testing.T, open Open) {
	j := newJournal()
	s := open(time.Hour, j.create, j.expired)
	first := s.Get("a")
	s.End("a")
	if s.Get("a") == first {
		t.Error("an ended value came back")
	}
	s.End("a")
	s.Close()
	j.balance(t)
}

func allIsCopy(t *testing.T, open Open) {
	s := open(time.Hour, newJournal().create, nil)
	defer s.Close()
	a, b := s.Get("a"), s.Get("b")
	all := s.All()
	if len(all) != 2 || all["a"] != a || all["b"] != b {
		t.Errorf("All is %v", all)
	}
	delete(all, "a")
	if _, ok := s.Peek("a"); !ok {
		t.Error("changing the copy changed the store")
	}
}

func putExpires(t *testing.T, open Open) {
	j := newJournal()
	s := open(time.Hour, j.create, j.expired)
	v := j.create("a")
	s.Put("a", v, time.Now().Add(-time.Minute))
	if s.Get("a") != v {
		t.Error("Get made another value")
	}
	s.End("a")
	s.Close()
	j.balance(t)

	j = newJournal()
	s = open(50*time.Millisecond, j.create, j.expired)
	v = j.create("a")
	s.Put("a", v, time.Now().Add(-time.Hour))
	eventually.TrueWithin(t, 5*time.Second, "the value expires", func() bool { return j.times("a", v) > 0 })
	s.Close()
	j.balance(t)
}

func putReplaces(t *testing.T, open Open) {
	j := newJournal()
	s := open(time.Hour, j.create, j.expired)
	old, next := s.Get("a"), j.create("a")
	s.Put("a", next, time.Now())
	if v, ok := s.Peek("a"); !ok || v != next {
		t.Errorf("Peek gave %p, want %p", v, next)
	}
	if n := j.times("a", old); n != 1 {
		t.Errorf("the value that was replaced ended %d times", n)
	}
	s.End("a")
	s.Close()
	j.balance(t)
}

func closeEndsNothing(t *testing.T, open Open) {
	j := newJournal()
	s := open(100*time.Millisecond, j.create, j.expired)
	s.Put("a", j.create("a"), time.Now().Add(time.Second)) // longer than the idle time, however slow the machine is
	s.Close()
	v, ok := s.Peek("a")
	if !ok {
		t.Fatal("Close ended the value")
	}
	time.Sleep(1500 * time.Millisecond)
	if n := j.times("a", v); n != 0 {
		t.Errorf("after Close the value ended %d times", n)
	}
}

func idleExpires(t *testing.T, open Open) {
	j := newJournal()
	s := open(50*time.Millisecond, j.create, j.expired)
	v := s.Get("a")
	eventually.TrueWithin(t, 5*time.Second, "the value expires", func() bool { return j.times("a", v) > 0 })
	if _, ok := s.Peek("a"); ok {
		t.Error("the expired value is still there")
	}
	s.Close()
	j.balance(t)
}

func oneValueForMany(t *testing.T, open Open) {
	j := newJournal()
	s := open(time.Hour, j.create, j.expired)
	got := make([]*Value, 32)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = s.Get("a") })
	}
	wg.Wait()
	for _, v := range got {
		if v != got[0] {
			t.Fatal("users of one key got different values")
		}
	}
	s.End("a")
	s.Close()
	j.balance(t)
}

func endsUnderLoad(t *testing.T, open Open) {
	j := newJournal()
	s := open(20*time.Millisecond, j.create, j.expired)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 200 {
				key := fmt.Sprint((i + n) % 5)
				switch n % 4 {
				case 0, 1:
					s.Get(key)
				case 2:
					s.Peek(key)
				case 3:
					s.End(key)
				}
			}
		})
	}
	wg.Wait()
	s.Close()
	for key := range s.All() {
		s.End(key)
	}
	j.balance(t)
}
