package upstream

import "time"

// Limits bound the load on one server and control its circuit breaker. A zero value means the
// default.
type Limits struct {
	NoBreaker bool          // disables the circuit breaker
	Failures  int           // consecutive faults that open the breaker; 3
	Recovery  time.Duration // how long an open breaker refuses calls; 30 s

	Concurrent   int           // concurrent calls; 64
	Rate         float64       // calls a second; 0 means no limit
	Queued       int           // waiting calls; 256
	QueueTimeout time.Duration // how long a call may wait for a slot; 10 s
}

const (
	defaultFailures     = 3
	defaultRecovery     = 30 * time.Second
	defaultConcurrent   = 64
	defaultQueued       = 256
	defaultQueueTimeout = 10 * time.Second
)

// settled returns l with defaults.
func (l Limits) settled() Limits {
	l.Failures = or(l.Failures, defaultFailures)
	l.Recovery = or(l.Recovery, defaultRecovery)
	l.Concurrent = or(l.Concurrent, defaultConcurrent)
	l.Queued = or(l.Queued, defaultQueued)
	l.QueueTimeout = or(l.QueueTimeout, defaultQueueTimeout)
	return l
}

// or returns v, or the default if v is not positive.
func or[T int | int64 | time.Duration](v, standard T) T {
	if v > 0 {
		return v
	}
	return standard
}
