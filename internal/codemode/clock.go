package codemode

import (
	"context"
	"sync"
	"time"
)

// clock ends an execution when its time is over. It stops while the execution only waits for
// people, so that a slow answer of a person does not make a script fail.
type clock struct {
	mu     sync.Mutex
	left   time.Duration
	since  time.Time
	stops  int
	timer  *time.Timer
	expire func()
}

func newClock(d time.Duration, expire func()) *clock {
	return &clock{
		left:   d,
		since:  time.Now(),
		timer:  time.AfterFunc(d, expire),
		expire: expire,
	}
}

// pause stops the clock until the function that it returns is called.
func (c *clock) pause() (resume func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stops++; c.stops == 1 && c.timer.Stop() {
		c.left -= time.Since(c.since)
	}
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.stops--; c.stops == 0 {
			c.since = time.Now()
			c.timer = time.AfterFunc(max(0, c.left), c.expire)
		}
	})
}

// rest returns the remaining time.
func (c *clock) rest() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stops > 0 {
		return c.left
	}
	return c.left - time.Since(c.since)
}

// within returns a context that ends with errCallTime when only reserve is left of the execution's
// time. The caller must call stop.
func (c *clock) within(ctx context.Context, reserve time.Duration) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var mu sync.Mutex
	var timer *time.Timer
	check := func() {
		mu.Lock()
		defer mu.Unlock()
		if left := c.rest() - reserve; left > 0 {
			timer.Reset(left) // the clock was paused meanwhile
			return
		}
		cancel(errCallTime)
	}
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(max(0, c.rest()-reserve), check)
	return ctx, func() { timer.Stop(); cancel(nil) }
}

// stop ends the clock.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stops++ // prevents a restart
	c.timer.Stop()
}
