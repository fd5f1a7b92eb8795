package ship

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// Attempts that fail are repeated after minBackoff at first and after maxBackoff at last.
const (
	minBackoff = time.Second
	maxBackoff = 5 * time.Minute
)

// attempts repeats attempts to send records, and keeps why the last one failed.
type attempts struct {
	to string // address that the records are sent to

	mu    sync.Mutex
	fault error     // why the last attempt failed; nil if it did not
	since time.Time // when the first of the attempts failed that have failed in succession
}

// Fault returns why records cannot be sent now, and since when; nil if they can.
func (a *attempts) Fault() (since time.Time, fault error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.since, a.fault
}

// keep calls send until ctx ends or ended returns true. It calls it again at once while more records wait, else after
// the time every.
func (a *attempts) keep(ctx context.Context, every time.Duration, ended func(context.Context) bool,
	send func(context.Context) (more bool, err error)) {
	backoff := time.Duration(0)
	for !ended(ctx) {
		more, err := send(ctx)
		if ctx.Err() != nil {
			return
		}
		a.note(err)
		wait := every
		switch {
		case err != nil:
			backoff = min(max(2*backoff, minBackoff), maxBackoff)
			wait = backoff/2 + rand.N(backoff/2) //nolint:gosec // jitter: machines must not come all at once
		case more:
			backoff = 0
			continue
		default:
			backoff = 0
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// note keeps and logs why an attempt failed. The same reason is logged once.
func (a *attempts) note(err error) {
	a.mu.Lock()
	before := a.fault
	a.fault = err
	if err != nil && before == nil {
		a.since = time.Now()
	}
	a.mu.Unlock()
	switch {
	case err != nil && (before == nil || before.Error() != err.Error()):
		slog.Warn("the activity log cannot be sent; trying again", "to", a.to, "error", err)
	case err == nil && before != nil:
		slog.Info("the activity log is sent again", "to", a.to)
	}
}
