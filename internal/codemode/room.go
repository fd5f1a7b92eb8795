package codemode

import (
	"context"
	"sync"
	"time"

	"mcpproxy"
)

const (
	// maxQueue is how many executions may wait for a place.
	maxQueue = 64
	// maxWait is how long one may.
	maxWait = 30 * time.Second
	// maxAway is how many executions may wait for a person, for each place.
	maxAway = 4
)

// room bounds how many executions run at once. Others wait their turn, and not for
// ever. One that waits for a person gives its place to others meanwhile: people
// think for minutes, and scripts run for seconds.
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
func (r *room) enter(ctx context.Context, patience time.Duration) (*place, error) {
	r.mu.Lock()
	if r.taken < r.size {
		r.taken++
		r.mu.Unlock()
		return &place{room: r}, nil
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
		return &place{room: r}, nil
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
	r.taken-- // the place came at the same moment
	r.admit()
	return nil, why
}

func busy() error {
	return mcpproxy.Errorf(mcpproxy.CodeRateLimit, nil, "too many scripts run already (code_execution.max_concurrent)").
		Later("try again in a few seconds, or make the calls directly")
}

// place is that of one execution in the room.
type place struct {
	room  *room
	stops int  // people who are asked now
	away  bool // the place is others' meanwhile
}

// step gives the place to others until back is called, unless too many are away
// already. Both may be called from several goroutines; the last back counts.
func (p *place) step() (back func()) {
	r := p.room
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.stops++; p.stops == 1 && r.away < maxAway*r.size {
		p.away = true
		r.away++
		r.taken--
		r.admit()
	}
	return sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if p.stops--; p.stops == 0 {
			p.home()
		}
	})
}

// home takes the place again, also where the room is full by now: who has waited
// for a person does not wait for scripts. The lock is held.
func (p *place) home() {
	if p.away {
		p.away = false
		p.room.away--
		p.room.taken++
	}
}

// leave gives the place up.
func (p *place) leave() {
	r := p.room
	r.mu.Lock()
	defer r.mu.Unlock()
	p.home()
	r.taken--
	r.admit()
}
