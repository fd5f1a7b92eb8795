package upstream

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

type repeatableKey struct{}

// Repeatable marks the calls under ctx as safe to send a second time if the connection breaks,
// because they only read or are idempotent. Other calls are repeated only if they certainly were not
// executed.
func Repeatable(ctx context.Context) context.Context {
	return context.WithValue(ctx, repeatableKey{}, true)
}

func repeatable(ctx context.Context) bool { return ctx.Value(repeatableKey{}) != nil }

// unsentError marks the failure of a request that the server certainly did not execute: no connection
// came about, or the server did not know its session.
type unsentError struct{ error }

func (e unsentError) Unwrap() error { return e.error }

// unsent reports whether the call that failed with err certainly was not executed.
func unsent(err error) bool {
	_, ok := errors.AsType[unsentError](err)
	return ok
}

// errForgotten says that the server does not know the session.
var errForgotten = fmt.Errorf("%w: the server forgot the session", ErrBroken)

// forgotten reports whether the call that failed with err was not executed because the server does
// not know its session.
func forgotten(err error) bool { return unsent(err) && errors.Is(err, errForgotten) }

// exemptFromBudget reports whether a repetition of the call that failed with err does not count against the budget:
// the call was not executed, and the server said so at once.
func exemptFromBudget(err error) bool {
	slow, ok := errors.AsType[net.Error](err)
	return unsent(err) && !(ok && slow.Timeout())
}

// post sends a request that carries a message. It marks the error if no connection was opened for any part of the
// request, a redirect included: then no byte of the message left this machine.
func post(client *http.Client, req *http.Request) (*http.Response, error) {
	var connected atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}
	resp, err := do(client, req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if _, ok := errors.AsType[*net.OpError](err); ok && !connected.Load() {
		err = unsentError{err}
	}
	return resp, err
}

const (
	retryShare = 0.1 // of a server's calls may be repeated
	retrySaved = 10  // repetitions that can be saved up
	retryPause = 100 * time.Millisecond
)

// budget limits the repetition of calls, so that a failing server does not get twice as many calls.
type budget struct {
	mu    sync.Mutex
	saved float64
}

// count records a call.
func (b *budget) count() {
	b.mu.Lock()
	b.saved = min(b.saved+retryShare, retrySaved)
	b.mu.Unlock()
}

// spend takes a repetition out of the budget, and reports whether there was one.
func (b *budget) spend() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.saved < 1 {
		return false
	}
	b.saved--
	return true
}

// again repeats a call that failed with err if that is allowed; ok reports whether it did. If the repetition finds
// that the server has forgotten the session, the call is repeated in a new session. This happens when a server
// restarts: first it refuses the connection, then it does not know the session.
func (l *Link) again(
	ctx context.Context,
	req *wire.Message,
	o CallOptions,
	err error,
) (resp *wire.Message, failure error, ok bool) {
	if !l.connectionFailed(err) || ctx.Err() != nil || !exemptFromBudget(err) && !l.server.guard.retries.spend() {
		return nil, err, false
	}
	select { // to spread the repetitions over time
	case <-time.After(retryPause/2 + rand.N(retryPause)):
	case <-ctx.Done():
		return nil, err, false
	}
	next := l
	if !l.alive() {
		if l.renew == nil {
			return nil, err, false
		}
		renewed, release, openErr := l.renew(ctx)
		if openErr != nil {
			return nil, err, false
		}
		defer release()
		if next = renewed; next.Era != l.Era {
			return nil, err, false
		}
	}
	resp, failure = next.attempt(ctx, req, o, forgotten(err))
	if forgotten(failure) && !forgotten(err) {
		resp, failure, _ = next.again(ctx, req, o, failure)
	}
	return resp, failure, true
}

// connectionFailed reports whether err is a failure of the connection, so that a repetition may succeed at once. This
// includes a link that Reopen closed before the call was sent.
func (l *Link) connectionFailed(err error) bool {
	e, ok := errors.AsType[*mcpproxy.Error](err)
	return ok && e.Code == mcpproxy.CodeUpstream && (l.faulty(err) || l.reopened.Load() && unsent(err))
}
