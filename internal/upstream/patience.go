package upstream

import (
	"context"
	"fmt"
	"time"
)

type patienceKey struct{}

// patience is how long a caller waits, and since when.
type patience struct {
	since time.Time
	whole time.Duration
}

// WithPatience bounds how long a call under ctx waits for its server, from the last sign
// of life: the server's own timeout holds where that is shorter. What passes before the call
// is sent, such as the start of the server's program, counts as waited. The end of such a wait
// is a timeout of the server's, for the caller and for the breaker.
func WithPatience(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, patienceKey{}, patience{since: time.Now(), whole: d})
}

// patienceOf returns how long the caller still waits.
func patienceOf(ctx context.Context) (time.Duration, bool) {
	p, ok := ctx.Value(patienceKey{}).(patience)
	return p.whole - time.Since(p.since), ok
}

// leastPatience is how long a call must have waited before its end counts as a fault of
// the server, where the caller's patience and not the server's timeout ended it.
const leastPatience = time.Second

// lateError says that a server did not answer in time. It is a
// [context.DeadlineExceeded].
type lateError struct{ after time.Duration }

// Error tells the time.
func (e *lateError) Error() string { return fmt.Sprintf("no answer within %s", e.after) }

// Is reports whether target is the error of a deadline.
func (e *lateError) Is(target error) bool { return target == context.DeadlineExceeded }
