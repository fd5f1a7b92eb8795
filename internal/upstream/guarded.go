package upstream

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// CallOptions are what a caller wants beside the answer. The zero value wants nothing.
type CallOptions struct {
	// Events receives, in order, what the server sends for the call before it answers:
	// notifications, and requests of its own.
	Events func(*wire.Message)
	// Keep takes what gives back the memory of a large answer. It is to be called when the
	// answer is needed no longer. Without Keep the memory is given back as soon as the call
	// returns.
	Keep func(release func())
}

// Call sends a request and returns the server's answer, with the request's own
// id. A deadline that passes without a sign of life ends the call and cancels it upstream.
//
// The call waits where the server has enough to do (RATE_LIMIT when that takes
// too long), and is refused while the server's breaker is open (CIRCUIT_OPEN).
func (l *Link) Call(ctx context.Context, req *wire.Message, o CallOptions) (*wire.Message, error) {
	g, start := l.server.guard, time.Now()
	if err := g.enter(ctx); err != nil {
		err = l.explain(err)
		l.server.observe(Sample{Code: mcpproxy.CodeOf(err), Waited: time.Since(start)})
		return nil, err
	}
	defer g.leave()
	g.retries.earn()
	sample := Sample{Waited: time.Since(start)}
	resp, err := l.attemptTwice(ctx, req, o, &sample)
	sample.Took = time.Since(start) - sample.Waited
	if err != nil {
		sample.Code = mcpproxy.CodeOf(err)
	}
	l.server.observe(sample)
	return resp, err
}

// attemptTwice tries a call, and once more where it may be repeated. What has
// been heard of a call already cannot be taken back, so then it is not.
func (l *Link) attemptTwice(
	ctx context.Context,
	req *wire.Message,
	o CallOptions,
	sample *Sample,
) (*wire.Message, error) {
	if !repeatable(ctx) {
		return l.attempt(ctx, req, o)
	}
	var heard atomic.Bool
	first := o
	first.Events = func(m *wire.Message) {
		heard.Store(true)
		if o.Events != nil {
			o.Events(m)
		}
	}
	resp, err := l.attempt(ctx, req, first)
	if err == nil || heard.Load() {
		return resp, err
	}
	resp, err, sample.Retried = l.again(ctx, req, o, err)
	return resp, err
}

// attempt sends a call if the breaker lets it, and tells the breaker how it ended.
func (l *Link) attempt(
	ctx context.Context,
	req *wire.Message,
	o CallOptions,
) (resp *wire.Message, err error) {
	g := l.server.guard
	done, err := g.breaker.allow()
	if err != nil {
		return nil, err
	}
	verdict := errNeutral
	defer func() { done(verdict) }() // a place for a trial must never be lost
	resp, err = l.exchange(ctx, req, o, l.server.timeout())
	switch {
	case err == nil:
		if !g.breaker.shaken() || succeeded(resp) {
			verdict = nil
		}
	case ctx.Err() == nil && l.faulty(err):
		g.blame(err)
		if l.firstBlame(err) {
			verdict = err
		}
	}
	return resp, err
}

// faulty reports whether err, as [Link.explain] made it, is a fault of the
// server or of the way to it, and not of one call.
func (l *Link) faulty(err error) bool {
	var status *statusError
	if errors.As(err, &status) {
		return status.code >= http.StatusInternalServerError
	}
	if needsLogin(err) != nil {
		return false
	}
	if l.closed.Load() || l.server.ctx.Err() != nil {
		return false // we have ended it ourselves
	}
	code := mcpproxy.CodeOf(err)
	return code == mcpproxy.CodeTimeout || code == mcpproxy.CodeUpstream
}

// firstBlame reports whether err is to be counted: the end of a connection under
// many calls is one fault, not many.
func (l *Link) firstBlame(err error) bool {
	return !errors.Is(err, ErrBroken) || l.blamed.CompareAndSwap(false, true)
}
