// Package memory keeps session state in this process.
package memory

import (
	"maps"
	"sync"
	"time"
)

// Store is a state.Store in memory. A value expires if it is not used for the idle time.
type Store[T any] struct {
	idle    time.Duration
	make    func(key string) T
	expired func(key string, value T)
	done    chan struct{} // closed to stop the sweeper
	swept   chan struct{} // closed when the sweeper has stopped

	mu     sync.Mutex
	values map[string]T
	used   map[string]time.Time
}

// New returns a store whose values are created by create. A value that was not used for the time idle expires and is
// passed to expired. If idle is zero, values do not expire. Expired may be nil.
func New[T any](idle time.Duration, create func(key string) T, expired func(string, T)) *Store[T] {
	s := &Store[T]{
		idle:    idle,
		make:    create,
		expired: expired,
		done:    make(chan struct{}),
		swept:   make(chan struct{}),
		values:  map[string]T{},
		used:    map[string]time.Time{},
	}
	if idle > 0 {
		go s.sweep()
	}
	return s
}

// Get returns the value of key. It creates the value if there is none.
func (s *Store[T]) Get(key string) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used[key] = time.Now()
	v, ok := s.values[key]
	if !ok {
		v = s.make(key)
		s.values[key] = v
	}
	return v
}

// Peek returns the value of key. Unlike Get, it does not count as a use.
func (s *Store[T]) Peek(key string) (T, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.values[key]
	return v, ok
}

// Put stores a value that was created elsewhere. A value that it replaces expires.
func (s *Store[T]) Put(key string, value T, used time.Time) {
	s.mu.Lock()
	old, replaced := s.values[key]
	s.values[key], s.used[key] = value, used
	s.mu.Unlock()
	if replaced && s.expired != nil {
		s.expired(key, old)
	}
}

// End makes key expire at once.
func (s *Store[T]) End(key string) bool { return s.end(key, time.Time{}) }

// end makes key expire unless it was used since limit. If limit is zero, key expires in any case.
func (s *Store[T]) end(key string, limit time.Time) bool {
	s.mu.Lock()
	v, ok := s.values[key]
	if ok = ok && (limit.IsZero() || s.used[key].Before(limit)); ok {
		delete(s.values, key)
		delete(s.used, key)
	}
	s.mu.Unlock()
	if ok && s.expired != nil {
		s.expired(key, v)
	}
	return ok
}

// All returns a copy of the current values.
func (s *Store[T]) All() map[string]T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.values)
}

// Close stops the expiry, and waits until no value is being passed to expired.
func (s *Store[T]) Close() {
	if s.idle > 0 {
		close(s.done)
		<-s.swept
	}
}

func (s *Store[T]) sweep() {
	defer close(s.swept)
	tick := time.NewTicker(max(s.idle/10, 10*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-s.done:
			return
		case now := <-tick.C:
			limit := now.Add(-s.idle)
			for _, key := range s.idleSince(limit) {
				s.end(key, limit)
			}
		}
	}
}

func (s *Store[T]) idleSince(limit time.Time) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys []string
	for key, at := range s.used {
		if at.Before(limit) {
			keys = append(keys, key)
		}
	}
	return keys
}
