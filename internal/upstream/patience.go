package upstream

import (
	"context"
	"fmt"
	"time"
)

type patienceKey struct{}

// patience is a caller's waiting time and its start.
type patience struct {
	since time.Time
	whole time.Duration
}

// WithPatience limits how long a call under ctx waits for its server without progress, if the
// server's own timeout is not shorter. Time before the call is sent, such as starting the server's
// program, counts as waiting. When the wait ends, the caller and the breaker see a timeout of the
// server.
func WithPatience(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, patienceKey{}, patience{since: time.Now(), whole: d})
}

// patienceOf returns how long the caller still waits.
func patienceOf(ctx context.Context) (time.Duration, bool) {
	p, ok := ctx.Value(patienceKey{}).(patience)
	return p.whole - time.Since(p.since), ok
}

// leastPatience is how long a call must have waited before its end counts as a fault of the server,
// if the caller's patience ended the call and not the server's timeout.
const leastPatience = time.Second

// lateError says that a server did not answer in time. It matches [context.DeadlineExceeded].
type lateError struct{ after time.Duration }

// Error returns the message with the waiting time.
func (e *lateError) Error() string { return fmt.Sprintf("no answer within %s", e.after) }

// Is reports whether target is the deadline error.
func (e *lateError) Is(target error) bool { return target == context.DeadlineExceeded }
