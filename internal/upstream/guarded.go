package upstream

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// CallOptions are optional parts of a call. The zero value asks only for the answer.
type CallOptions struct {
	// Events receives, in order, what the server sends for the call before its answer: notifications and requests.
	Events func(*wire.Message)
	// Keep receives the function that releases the memory of a large answer. The caller calls it
	// when it has finished with the answer. Without Keep, the memory is released when the call
	// returns.
	Keep func(release func())
}

// Call sends a request and returns the server's answer with the request's own id. If the server
// stays silent until the deadline, the call ends and is cancelled on the server.
//
// The call waits while the server is at its limits, and fails with RATE_LIMIT if that takes too
// long. It fails with CIRCUIT_OPEN while the server's breaker is open.
func (l *Link) Call(ctx context.Context, req *wire.Message, o CallOptions) (*wire.Message, error) {
	g, start := l.server.guard, time.Now()
	if err := g.enter(ctx); err != nil {
		err = l.explain(err)
		l.server.observe(Sample{Code: mcpproxy.CodeOf(err), Waited: time.Since(start)})
		return nil, err
	}
	defer g.leave()
	g.retries.count()
	sample := Sample{Waited: time.Since(start)}
	resp, err := l.attemptTwice(ctx, req, o, &sample)
	sample.Took = time.Since(start) - sample.Waited
	if err != nil {
		sample.Code = mcpproxy.CodeOf(err)
	}
	l.server.observe(sample)
	if slog.Default().Enabled(ctx, slog.LevelDebug) {
		slog.DebugContext(ctx, "a server was called", "server", l.server.Name(), "method", req.Method,
			"code", string(sample.Code), "waited", sample.Waited, "took", sample.Took)
	}
	return resp, err
}

// attemptTwice tries a call. It repeats the call once if that is safe or if the call never reached
// the server's tools. It does not repeat a call after it has passed on events.
func (l *Link) attemptTwice(
	ctx context.Context,
	req *wire.Message,
	o CallOptions,
	sample *Sample,
) (*wire.Message, error) {
	var heard atomic.Bool
	first := o
	first.Events = func(m *wire.Message) {
		heard.Store(true)
		if o.Events != nil {
			o.Events(m)
		}
	}
	resp, err := l.attempt(ctx, req, first, false)
	if err == nil || heard.Load() || !repeatable(ctx) && !unsent(err) {
		return resp, err
	}
	resp, err, sample.Retried = l.again(ctx, req, o, err)
	return resp, err
}

// attempt sends a call if the breaker allows it, and reports the outcome to the breaker. An unknown session is not a
// fault, because a server forgets its sessions when it restarts. It is a fault if the session has just been opened.
func (l *Link) attempt(
	ctx context.Context,
	req *wire.Message,
	o CallOptions,
	justOpened bool,
) (resp *wire.Message, err error) {
	g := l.server.guard
	done, err := g.breaker.allow()
	if err != nil {
		return nil, err
	}
	verdict := errNeutral
	defer func() { done(verdict) }() // the slot for a trial call must always be released
	timeout := l.server.timeout()
	patience, bounded := patienceOf(ctx)
	bounded = bounded && patience < timeout
	if bounded {
		timeout = max(patience, time.Millisecond)
	}
	resp, err = l.exchange(ctx, req, o, timeout)
	switch {
	case err == nil:
		if !g.breaker.recovering() || succeeded(resp) {
			verdict = nil
		}
	case bounded && timeout < leastPatience && mcpproxy.CodeOf(err) == mcpproxy.CodeTimeout:
		// A healthy server may take that long.
	case forgotten(err) && !justOpened:
		// The server has restarted.
	case ctx.Err() == nil && l.faulty(err):
		g.blame(err)
		if l.firstBlame(err) {
			verdict = err
		}
	}
	return resp, err
}

// faulty reports whether err, as returned by [Link.explain], is a fault of the server or the
// connection, and not of one call.
func (l *Link) faulty(err error) bool {
	var status *statusError
	if errors.As(err, &status) {
		return status.code >= http.StatusInternalServerError
	}
	if lacksToken(err) {
		return false
	}
	if l.closed.Load() || l.server.ctx.Err() != nil {
		return false // mcpproxy ended it
	}
	code := mcpproxy.CodeOf(err)
	return code == mcpproxy.CodeTimeout || code == mcpproxy.CodeUpstream
}

// firstBlame reports whether err must be counted: a connection that breaks during many calls is one fault.
func (l *Link) firstBlame(err error) bool {
	return !errors.Is(err, ErrBroken) || l.blamed.CompareAndSwap(false, true)
}
