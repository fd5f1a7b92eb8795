package upstream

import "time"

// Limits bound the load on one server and control its circuit breaker. A zero value means the
// default.
type Limits struct {
	NoBreaker bool          // call the server however often it fails
	Failures  int           // faults in a row that open the breaker; 3
	Recovery  time.Duration // how long an open breaker keeps calls away; 30 s

	Concurrent   int           // calls under way at once; 64
	Rate         float64       // calls a second; 0 means no limit
	Queued       int           // calls that wait at once for their turn; 256
	QueueTimeout time.Duration // how long one may wait for its turn; 10 s
}

const (
	defaultFailures     = 3
	defaultRecovery     = 30 * time.Second
	defaultConcurrent   = 64
	defaultQueued       = 256
	defaultQueueTimeout = 10 * time.Second
)

// settled is l with every default in its place.
func (l Limits) settled() Limits {
	l.Failures = or(l.Failures, defaultFailures)
	l.Recovery = or(l.Recovery, defaultRecovery)
	l.Concurrent = or(l.Concurrent, defaultConcurrent)
	l.Queued = or(l.Queued, defaultQueued)
	l.QueueTimeout = or(l.QueueTimeout, defaultQueueTimeout)
	return l
}

// or is v, or the default where v is not positive.
func or[T int | int64 | time.Duration](v, standard T) T {
	if v > 0 {
		return v
	}
	return standard
}
