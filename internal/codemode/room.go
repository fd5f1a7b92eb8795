package codemode

import (
	"context"
	"sync"
	"time"

	"mcpproxy"
)

const (
	// maxQueue is how many executions may wait for a slot.
	maxQueue = 64
	// maxWait is how long an execution may wait for a slot.
	maxWait = 30 * time.Second
	// maxAway is how many executions may wait for a person, per slot.
	maxAway = 4
)

// room limits the number of concurrent executions. Others wait in a queue for a limited time. An
// execution that waits for a person lends its slot to others, because people need minutes and
// scripts seconds.
type room struct {
	mu      sync.Mutex
	size    int
	taken   int
	away    int
	waiting []chan struct{}
}

func (r *room) resize(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.size = max(1, n)
	r.admit()
}

// admit gives free slots to those that have waited longest. The caller holds the lock.
func (r *room) admit() {
	for r.taken < r.size && len(r.waiting) > 0 {
		close(r.waiting[0])
		r.waiting = r.waiting[1:]
		r.taken++
	}
}

// enter waits for a slot, at most for patience.
func (r *room) enter(ctx context.Context, patience time.Duration) (*slot, error) {
	r.mu.Lock()
	if r.taken < r.size {
		r.taken++
		r.mu.Unlock()
		return &slot{room: r}, nil
	}
	if len(r.waiting) >= maxQueue {
		r.mu.Unlock()
		return nil, busy()
	}
	turn := make(chan struct{})
	r.waiting = append(r.waiting, turn)
	r.mu.Unlock()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	why := busy()
	select {
	case <-turn:
		return &slot{room: r}, nil
	case <-timer.C:
	case <-ctx.Done():
		why = ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, w := range r.waiting {
		if w == turn {
			r.waiting = append(r.waiting[:i], r.waiting[i+1:]...)
			return nil, why
		}
	}
	r.taken-- // the slot became free at the same moment
	r.admit()
	return nil, why
}

func busy() error {
	return mcpproxy.Errorf(mcpproxy.CodeRateLimit, nil, "too many scripts run already (code_execution.max_concurrent)").
		Later("try again in a few seconds, or make the calls directly")
}

// slot is one execution's permission to run.
type slot struct {
	room  *room
	stops int  // open questions to people
	away  bool // the slot is lent to others
}

// step lends the slot to others until back is called, unless too many executions have lent theirs.
// Several goroutines may call both; the last call of back counts.
func (s *slot) step() (back func()) {
	r := s.room
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.stops++; s.stops == 1 && r.away < maxAway*r.size {
		s.away = true
		r.away++
		r.taken--
		r.admit()
	}
	return sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if s.stops--; s.stops == 0 {
			s.home()
		}
	})
}

// home takes the slot back even if all slots are in use, because an execution that waited for a
// person must not also wait for other scripts. The caller holds the lock.
func (s *slot) home() {
	if s.away {
		s.away = false
		s.room.away--
		s.room.taken++
	}
}

// leave releases the slot.
func (s *slot) leave() {
	r := s.room
	r.mu.Lock()
	defer r.mu.Unlock()
	s.home()
	r.taken--
	r.admit()
}
