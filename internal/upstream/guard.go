package upstream

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"mcpproxy"
)

// guard controls the calls to one server. A call passes the rate limit, then waits for a free slot,
// then asks the breaker, and is then sent. The number and time of waiting calls are limited, so
// that a slow server does not affect others.
type guard struct {
	server  string
	limits  Limits
	pace    *rate.Limiter // nil without a rate limit
	places  chan struct{} // one entry for each running call
	waiting atomic.Int64
	breaker *breaker // nil without one
	retries budget

	mu     sync.Mutex
	faults int64
	last   *Fault
}

// Fault is a failed call or a failed attempt to connect.
type Fault struct {
	Time  time.Time     `json:"time"`
	Code  mcpproxy.Code `json:"code"`
	Error string        `json:"error"`
}

func newGuard(server string, l Limits, changed func(BreakerState)) *guard {
	l = l.settled()
	g := &guard{
		server:  server,
		limits:  l,
		places:  make(chan struct{}, l.Concurrent),
		breaker: newBreaker(server, l, changed),
		retries: budget{saved: 1},
	}
	if l.Rate > 0 {
		g.pace = rate.NewLimiter(rate.Limit(l.Rate), max(1, int(l.Rate)))
	}
	return g
}

// enter waits until a call may be sent. If err is nil, the caller must call leave.
func (g *guard) enter(ctx context.Context) error {
	if err := g.breaker.refuses(); err != nil {
		return err // fail before waiting in vain
	}
	if g.pace != nil {
		if err := g.keepPace(ctx); err != nil {
			return err
		}
	}
	select {
	case g.places <- struct{}{}:
		return nil
	default:
		return g.waitForPlace(ctx)
	}
}

func (g *guard) leave() { <-g.places }

// keepPace waits for the rate limit.
func (g *guard) keepPace(ctx context.Context) error {
	turn := g.pace.Reserve()
	wait := turn.Delay()
	switch {
	case wait == 0:
		return nil
	case wait > g.limits.QueueTimeout:
		turn.Cancel()
		return g.busy(wait, "server %q is limited to %g calls a second, and too many calls are waiting already", g.server, g.limits.Rate)
	case !g.join():
		turn.Cancel()
		return g.full()
	}
	defer g.waiting.Add(-1)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		turn.Cancel()
		return context.Cause(ctx)
	}
}

// waitForPlace waits until a slot is free.
func (g *guard) waitForPlace(ctx context.Context) error {
	if !g.join() {
		return g.full()
	}
	defer g.waiting.Add(-1)
	timer := time.NewTimer(g.limits.QueueTimeout)
	defer timer.Stop()
	select {
	case g.places <- struct{}{}:
		return nil
	case <-timer.C:
		return g.busy(
			time.Second,
			"server %q is busy: %d calls are under way, and none ended within %s",
			g.server,
			g.limits.Concurrent,
			g.limits.QueueTimeout,
		)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// join enters the queue if it has room.
func (g *guard) join() bool {
	if g.waiting.Add(1) > int64(g.limits.Queued) {
		g.waiting.Add(-1)
		return false
	}
	return true
}

func (g *guard) full() error {
	return g.busy(time.Second, "server %q is busy: %d calls wait for their turn already", g.server, g.limits.Queued)
}

func (g *guard) busy(wait time.Duration, format string, args ...any) error {
	return mcpproxy.Errorf(mcpproxy.CodeRateLimit, nil, format, args...).
		Later("try again in " + seconds(wait) + ", with fewer calls at once")
}

// blame records a fault.
func (g *guard) blame(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.faults++
	g.last = &Fault{time.Now().UTC(), mcpproxy.CodeOf(err), err.Error()}
}

// describe adds the guard's state to a status.
func (g *guard) describe(st *Status) {
	st.Breaker = g.breaker.state()
	st.InFlight, st.Queued = len(g.places), int(g.waiting.Load())
	g.mu.Lock()
	defer g.mu.Unlock()
	st.Faults, st.LastFault = g.faults, g.last
}
