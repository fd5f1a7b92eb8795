package ledger

import "time"

// jump is by how much a clock may be set, or a machine sleep, while it counts as steady.
const jump = time.Hour

// Clock compares the wall clock with the time that passes. Its zero value is ready for use.
type Clock struct {
	since time.Time // from then on both agree
	last  time.Time // when they were last compared
}

// Steady returns how long the wall clock has run steadily. Now has both readings when
// it is from time.Now.
func (c *Clock) Steady(now time.Time) time.Duration {
	drift := now.Round(0).Sub(c.last.Round(0)) - now.Sub(c.last)
	if c.since.IsZero() || drift.Abs() > jump || now.Before(c.last) {
		c.since = now
	}
	c.last = now
	return now.Sub(c.since)
}
