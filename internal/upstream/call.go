package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// call is one request in progress.
type call struct {
	events   func(*wire.Message)
	keep     func(release func()) // see CallOptions.Keep
	token    []byte               // progress token on the link; nil without one
	original []byte               // the caller's own token, if the link uses another one
	stays    bool                 // it has no timeout: it expects messages until it ends, not an answer
	asks     bool                 // the server may ask the client for input during the call
	done     chan struct{}
	once     sync.Once
	response *wire.Message
	err      error
	alive    func() // called at each sign of progress: restarts the timeout, up to mostLife times
	pause    func() // called when the server waits for the client: stops the timeout
	resume   func() // called when the server has the client's answer
	hangUp   func() // ends the call's HTTP exchange when its answer is no longer wanted
}

func (c *call) finish(m *wire.Message, err error) {
	c.once.Do(func() {
		c.response, c.err = m, err
		close(c.done)
	})
}

// ended reports whether the call has an answer or will not get one.
func (c *call) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

func (c *call) event(m *wire.Message) {
	if m.IsRequest() {
		c.pause()
	} else {
		c.alive()
	}
	if c.events != nil {
		c.events(m)
	}
}

// restoreProgress gives a progress notification the caller's own token.
func (c *call) restoreProgress(m *wire.Message) *wire.Message {
	if c.original == nil {
		return m
	}
	return m.WithParams(wire.Set(m.Params, c.original, "progressToken"))
}

// mostLife is the maximum duration of a call with signs of progress, as a multiple of its timeout. Without a maximum,
// a server could keep a call open forever by reporting progress.
const mostLife = 20

// limit ends the call after a timeout without a sign of progress, and in any case after mostLife timeouts. Time in
// which the server waits for the client does not count.
func (c *call) limit(timeout time.Duration, end func()) (stop func()) {
	watch, begin := time.AfterFunc(timeout, end), time.Now()
	c.alive = func() {
		if time.Since(begin) < (mostLife-1)*timeout {
			watch.Reset(timeout)
		}
	}
	c.pause = func() { watch.Stop() }
	c.resume = func() { watch.Reset(timeout) }
	return func() { watch.Stop() }
}

// asking are the requests during which a server may ask the client for input (MCP 2026-07-28, multi round-trip
// requests).
var asking = []string{"tools/call", "prompts/get", "resources/read"}

// exchange sends one request and returns its answer. The limits of the guard do not apply. A timeout of 0 means no
// limit.
func (l *Link) exchange(
	ctx context.Context,
	req *wire.Message,
	o CallOptions,
	timeout time.Duration,
) (*wire.Message, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := &call{
		events: o.Events,
		keep:   o.Keep,
		stays:  timeout == 0,
		asks:   o.Events != nil && slices.Contains(asking, req.Method),
		done:   make(chan struct{}),
		alive:  func() {},
		pause:  func() {},
		resume: func() {},
		hangUp: func() { cancel(nil) },
	}
	if timeout > 0 {
		defer c.limit(timeout, func() { cancel(&lateError{timeout}) })()
	}
	id := wire.IntID(l.next.Add(1))
	out := l.outgoing(req, id, c)
	if err := l.register(id, c); err != nil {
		return nil, l.explain(unsentError{err})
	}
	sendErr := l.transport.send(ctx, out, c)
	if sendErr != nil && (ctx.Err() == nil || lateForToken(ctx, sendErr)) {
		l.forget(id)
		c.finish(nil, sendErr)
		if login := needsLogin(sendErr); login != nil && login.Scopes == nil {
			go l.server.loggedOut(l, sendErr) // other calls would fail in the same way
		}
	}
	l.await(ctx, id, c)
	if c.err == nil {
		c.err = l.makeRoom(ctx, c, len(c.response.Raw))
	}
	if c.err != nil {
		return nil, l.explain(c.err)
	}
	resp := c.response.WithID(req.ID)
	resp.HTTPStatus = c.response.HTTPStatus
	return resp, nil
}

// await returns when the call has an answer, or when its caller no longer waits.
func (l *Link) await(ctx context.Context, id []byte, c *call) {
	if c.ended() {
		return // even if ctx has ended: select would choose at random
	}
	select {
	case <-c.done:
	case <-ctx.Done():
		l.forget(id)
		l.cancelUpstream(ctx, id)
		c.finish(nil, context.Cause(ctx))
	}
}

// lateForToken reports whether a call timed out while it waited for a token. Such a call never reached the server, and
// err says what delayed the token.
func lateForToken(ctx context.Context, err error) bool {
	return errors.Is(context.Cause(ctx), context.DeadlineExceeded) && lacksToken(err)
}

// outgoing gives a request its id on the link. It also replaces the progress token if answers to several calls arrive
// on one stream.
func (l *Link) outgoing(req *wire.Message, id []byte, c *call) *wire.Message {
	out := req.WithID(id)
	out.Header = req.Header
	token := wire.Member(req.Params, "_meta", "progressToken")
	if token == nil {
		return out
	}
	c.token = token
	if !l.transport.associates() {
		c.token, c.original = id, token
		out = out.WithParams(wire.Set(out.Params, id, "_meta", "progressToken"))
	}
	return out
}

func (l *Link) register(id []byte, c *call) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return l.broken
	}
	l.pending[string(id)] = c
	return nil
}

func (l *Link) forget(id []byte) {
	l.mu.Lock()
	delete(l.pending, string(id))
	l.mu.Unlock()
}

// cancelUpstream tells the server that the answer is no longer wanted, unless the end of the exchange has already told
// it.
func (l *Link) cancelUpstream(ctx context.Context, id []byte) {
	if l.transport.hangsUp() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	params := wire.Set(wire.Set(nil, id, "requestId"), wire.Quote("the caller no longer waits"), "reason")
	_ = l.Notify(ctx, wire.NewNotification("notifications/cancelled", params))
}

// explain converts the error of a failed call to one that an agent may read.
func (l *Link) explain(err error) error {
	name := l.server.Name()
	var large *wire.TooLargeError
	var oversize *sizeError
	var status *statusError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		after := l.server.timeout()
		if late, ok := errors.AsType[*lateError](err); ok {
			after = late.after.Round(10 * time.Millisecond)
		}
		e := mcpproxy.Errorf(mcpproxy.CodeTimeout, err, "server %q did not answer within %s", name, after)
		if n := l.garbled.Load(); n > 0 { // the answer may be among the messages
			e.Message += fmt.Sprintf(
				"; it has sent %d messages that are not valid, such as a text of several lines over stdio",
				n,
			)
		}
		return e
	case errors.Is(err, context.Canceled):
		return mcpproxy.Errorf(mcpproxy.CodeCancelled, err, "the call to server %q was cancelled", name)
	case errors.As(err, &large), errors.As(err, &oversize):
		s := l.server.sizes
		return mcpproxy.Errorf(
			mcpproxy.CodeTooLarge,
			err,
			"the answer of server %q is over its limits: %s of text (max_text_mb), for a tool's result %s in pages (max_paged_mb), "+
				"and %s of binary content (max_binary_mb)",
			name,
			Megabytes(s.Text),
			Megabytes(s.Paged),
			Megabytes(s.Binary),
		)
	case errors.As(err, &status) && status.code == http.StatusTooManyRequests:
		return mcpproxy.Errorf(mcpproxy.CodeRateLimit, err, "server %q says that it gets too many calls", name).
			Later("try again later, with fewer calls")
	case errors.As(err, &status):
		return mcpproxy.Errorf(
			mcpproxy.CodeUpstream,
			err,
			"server %q answered with HTTP status %d %s",
			name,
			status.code,
			http.StatusText(status.code),
		)
	case errors.Is(err, errMalformed):
		return mcpproxy.Errorf(mcpproxy.CodeMalformed, err, "server %q sent an answer that is not valid", name)
	}
	if e, ok := errors.AsType[*mcpproxy.Error](err); ok {
		return e
	}
	return mcpproxy.Errorf(mcpproxy.CodeUpstream, err, "server %q is unreachable", name)
}

var errMalformed = errors.New("malformed message")

// Listen sends a subscriptions/listen request and returns when ctx ends. A silent server is not a
// failure. Events in the options receives the messages on the stream.
func (l *Link) Listen(ctx context.Context, req *wire.Message, o CallOptions) (*wire.Message, error) {
	return l.exchange(ctx, req, o, 0)
}
