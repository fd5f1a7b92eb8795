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
	// maxWait is how long one of them may wait.
	maxWait = 30 * time.Second
	// maxAway is how many executions may wait for a person, for each slot.
	maxAway = 4
)

// room bounds how many executions run at once. Others wait in line for a limited time. An
// execution that waits for a person gives its slot to others meanwhile: people think for
// minutes, and scripts run for seconds.
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

// admit lets those in who waited longest. The lock is held.
func (r *room) admit() {
	for r.taken < r.size && len(r.waiting) > 0 {
		close(r.waiting[0])
		r.waiting = r.waiting[1:]
		r.taken++
	}
}

// enter waits for a place, at most for patience.
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

// slot is the permission of one execution to run.
type slot struct {
	room  *room
	stops int  // questions to people that are open now
	away  bool // others may use the slot meanwhile
}

// step gives the slot to others until back is called, unless too many executions are away
// already. Several goroutines may call both; the last call of back counts.
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

// home takes the slot again, even if all slots are taken by now: an execution that waited
// for a person does not wait for other scripts too. The caller holds the lock.
func (s *slot) home() {
	if s.away {
		s.away = false
		s.room.away--
		s.room.taken++
	}
}

// leave gives the slot up.
func (s *slot) leave() {
	r := s.room
	r.mu.Lock()
	defer r.mu.Unlock()
	s.home()
	r.taken--
	r.admit()
}
