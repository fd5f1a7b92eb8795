package ship

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// The wait between failed attempts is minBackoff at first and grows to maxBackoff.
const (
	minBackoff = time.Second
	maxBackoff = 5 * time.Minute
)

// attempts repeats attempts to send records, and remembers why the last one failed.
type attempts struct {
	to string // address to which the records are sent

	mu    sync.Mutex
	fault error     // why the last attempt failed; nil if it did not
	since time.Time // when the current series of failures began
}

// Fault returns why records cannot be sent at present, and since when. It returns nil if the last attempt succeeded.
func (a *attempts) Fault() (since time.Time, fault error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.since, a.fault
}

// keep calls send until ctx ends or ended returns true. It calls send again at once if more records wait, and
// otherwise after the time every.
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

// note stores and logs why an attempt failed. It logs the same reason only once.
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
