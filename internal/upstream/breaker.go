package upstream

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// BreakerState is the state of a server's circuit breaker.
type BreakerState string

// The states of a breaker.
const (
	Closed   BreakerState = "closed"    // calls pass
	Open     BreakerState = "open"      // calls are refused: the server failed repeatedly
	HalfOpen BreakerState = "half_open" // one call at a time tries whether it recovered
)

// breaker refuses calls to a server that failed several times in a row. It counts only faults:
// timeouts and broken connections. Errors that a tool reports do not count. A call that began
// before the breaker last changed its state is ignored when it ends.
type breaker struct {
	server  string
	limits  Limits
	steps   *gobreaker.TwoStepCircuitBreaker[struct{}]
	opened  atomic.Int64 // when it last opened, in Unix nanoseconds
	changed func(BreakerState)
}

// errNeutral is the outcome of a call that says nothing about the server's health.
var errNeutral = errors.New("no sign of health or of a fault")

// newBreaker returns nil, which allows every call, if the limits disable the breaker. Changed must
// not call the breaker.
func newBreaker(server string, l Limits, changed func(BreakerState)) *breaker {
	if l.NoBreaker {
		return nil
	}
	b := &breaker{server: server, limits: l, changed: changed}
	b.steps = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		MaxRequests: 1,
		Timeout:     l.Recovery,
		ReadyToTrip: func(c gobreaker.Counts) bool { return int64(c.ConsecutiveFailures) >= int64(l.Failures) },
		IsExcluded:  func(err error) bool { return errors.Is(err, errNeutral) },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			if to == gobreaker.StateOpen {
				b.opened.Store(time.Now().UnixNano())
			}
			b.changed(breakerStates[to])
		},
	})
	return b
}

var breakerStates = map[gobreaker.State]BreakerState{
	gobreaker.StateClosed: Closed, gobreaker.StateOpen: Open, gobreaker.StateHalfOpen: HalfOpen}

// state returns the breaker's state, or "" without a breaker.
func (b *breaker) state() BreakerState {
	if b == nil {
		return ""
	}
	return breakerStates[b.steps.State()]
}

// refuses returns why calls are refused, without counting a call.
func (b *breaker) refuses() error {
	if b == nil || b.steps.State() != gobreaker.StateOpen {
		return nil
	}
	return b.refusal()
}

// allow admits a call. The caller must report its outcome by done: nil for a success, errNeutral,
// or the fault.
func (b *breaker) allow() (done func(error), err error) {
	if b == nil {
		return func(error) {}, nil
	}
	done, err = b.steps.Allow()
	if err != nil {
		return nil, b.refusal()
	}
	return done, nil
}

// recovering reports whether a success would change the breaker.
func (b *breaker) recovering() bool {
	return b != nil && (b.steps.Counts().ConsecutiveFailures > 0 || b.steps.State() != gobreaker.StateClosed)
}

// refusal returns the error of a refused call.
func (b *breaker) refusal() error {
	wait := time.Until(time.Unix(0, b.opened.Load()).Add(b.limits.Recovery))
	if wait <= 0 {
		return mcpproxy.Errorf(mcpproxy.CodeCircuitOpen, nil, "server %q failed repeatedly; another call is finding out now whether it works again", b.server).
			Later("try again in a second, or go on without this server")
	}
	when := seconds(wait)
	return mcpproxy.Errorf(mcpproxy.CodeCircuitOpen, nil, "server %q failed repeatedly and gets no calls for now; it is tried again in %s", b.server, when).
		Later("try again in " + when + ", or go on without this server")
}

// seconds returns a duration in whole seconds, rounded up.
func seconds(d time.Duration) string {
	return ((d + time.Second - 1) / time.Second * time.Second).String()
}

// succeeded reports whether an answer proves that the server works. A protocol error or a tool
// error proves nothing.
func succeeded(resp *wire.Message) bool {
	return resp.Error == nil && string(wire.Member(resp.Result, "isError")) != "true"
}
