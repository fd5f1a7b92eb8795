package upstream

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

type repeatableKey struct{}

// Repeatable marks the calls under ctx as safe to send a second time if the connection breaks,
// because they only read or are idempotent. Other calls are never repeated.
func Repeatable(ctx context.Context) context.Context {
	return context.WithValue(ctx, repeatableKey{}, true)
}

func repeatable(ctx context.Context) bool { return ctx.Value(repeatableKey{}) != nil }

const (
	retryShare = 0.1 // of a server's calls may be repeated
	retrySaved = 10  // repetitions that may be saved up
	retryPause = 100 * time.Millisecond
)

// budget bounds how often calls are repeated: a server that fails must not get
// twice the calls for it.
type budget struct {
	mu    sync.Mutex
	saved float64
}

// earn counts a call.
func (b *budget) earn() {
	b.mu.Lock()
	b.saved = min(b.saved+retryShare, retrySaved)
	b.mu.Unlock()
}

// spend takes a repetition out of the budget, if there is one.
func (b *budget) spend() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.saved < 1 {
		return false
	}
	b.saved--
	return true
}

// again repeats a call that failed with err, where that is right; ok says
// whether it did.
func (l *Link) again(
	ctx context.Context,
	req *wire.Message,
	o CallOptions,
	err error,
) (resp *wire.Message, failure error, ok bool) {
	if !l.brokeDown(err) || ctx.Err() != nil || !l.server.guard.retries.spend() {
		return nil, err, false
	}
	select { // not all at once
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
	resp, failure = next.attempt(ctx, req, o)
	return resp, failure, true
}

// brokeDown reports whether err is one of the connection, after which the server
// may do better at once.
func (l *Link) brokeDown(err error) bool {
	e, ok := errors.AsType[*mcpproxy.Error](err)
	return ok && e.Code == mcpproxy.CodeUpstream && l.faulty(err)
}
