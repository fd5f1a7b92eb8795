package codemode

import (
	"sync"
	"time"
)

// clock ends an execution when its time is up. It stands still while all
// waits for people: a script is not to fail because somebody thinks.
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

// stop ends the clock.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stops++ // nothing starts it again
	c.timer.Stop()
}
