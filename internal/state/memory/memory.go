// Package memory keeps session state in this process.
package memory

import (
	"maps"
	"sync"
	"time"
)

// Store is a state.Store in memory. Values not used for the idle time expire.
type Store[T any] struct {
	idle    time.Duration
	make    func(key string) T
	expired func(key string, value T)
	done    chan struct{} // closed to end the sweeper
	swept   chan struct{} // closed by the sweeper when it has ended

	mu     sync.Mutex
	values map[string]T
	used   map[string]time.Time
}

// New returns a store whose values are made by create and, after idle without
// use, handed to expired. Either time or expired may be zero.
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

// Get returns the value of key, making it first when there is none.
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

// Peek returns the value of key without counting as a use.
func (s *Store[T]) Peek(key string) (T, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.values[key]
	return v, ok
}

// Put stores a value that was made elsewhere. One that it replaces expires.
func (s *Store[T]) Put(key string, value T, used time.Time) {
	s.mu.Lock()
	old, replaced := s.values[key]
	s.values[key], s.used[key] = value, used
	s.mu.Unlock()
	if replaced && s.expired != nil {
		s.expired(key, old)
	}
}

// End expires key at once.
func (s *Store[T]) End(key string) bool { return s.end(key, time.Time{}) }

// end expires key unless it was used since limit; a zero limit expires it anyway.
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

// All returns a copy of the present values.
func (s *Store[T]) All() map[string]T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.values)
}

// Close stops the expiry, and waits for values that are just ending.
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
