package ledger

import "time"

// jump is the largest deviation of the wall clock that still counts as steady.
const jump = time.Hour

// Clock compares the wall clock with the monotonic clock. Its zero value is ready to use.
type Clock struct {
	since time.Time // both clocks have agreed since then
	last  time.Time // time of the last comparison
}

// Steady returns how long the wall clock has run steadily. Now must contain a monotonic reading, as
// a time from time.Now does.
func (c *Clock) Steady(now time.Time) time.Duration {
	drift := now.Round(0).Sub(c.last.Round(0)) - now.Sub(c.last)
	if c.since.IsZero() || drift.Abs() > jump || now.Before(c.last) {
		c.since = now
	}
	c.last = now
	return now.Sub(c.since)
}
