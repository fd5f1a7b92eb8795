package gateway

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// suspended is a request of the stateless era whose server needs an answer from the client. The
// request waits here. Its client got an input_required result and will retry with the answer.
type suspended struct {
	principal string
	binding   [32]byte // hash of the properties that a retry must have
	asks      chan *question
	done      chan *wire.Message
	cancel    context.CancelFunc
	open      *question // the question that the client must answer
}

type question struct {
	msg    *wire.Message
	answer chan *wire.Message
}

const (
	statePrefix  = "mcpproxy:"
	stateLife    = 5 * time.Minute // time for a person to answer
	maxSuspended = 1000
)

// suspendable are the requests that may be answered with input_required.
var suspendable = []string{"tools/call", "prompts/get", "resources/read"}

// serveSuspendable lets t handle m. If the request has to wait for its client, the answer is
// input_required, and the client's retry resumes the request.
func (g *Gateway) serveSuspendable(ctx context.Context, t endpoint, c *caller, m *wire.Message) *wire.Message {
	if token, ok := ownStateToken(m); ok {
		return g.resume(ctx, c, m, token)
	}
	c.suspends = slices.Contains(suspendable, m.Method)
	run, cancel := detached(ctx)
	s := &suspended{
		principal: c.principal,
		binding:   bindingOf(c, m),
		asks:      make(chan *question),
		done:      make(chan *wire.Message, 1),
		cancel:    cancel,
	}
	c.ask = func(ctx context.Context, q *wire.Message) (*wire.Message, error) {
		if err := c.mayAsk(q.Method); err != nil {
			return nil, err
		}
		return s.ask(ctx, q)
	}
	end := Holding(run)
	go func() {
		defer end()
		defer cancel()
		s.done <- guarded(m, func() *wire.Message { return t.handle(run, c, m) })
	}()
	return g.await(ctx, s, m)
}

// ask waits for the client's answer to q.
func (s *suspended) ask(ctx context.Context, q *wire.Message) (*wire.Message, error) {
	open := &question{q, make(chan *wire.Message, 1)}
	select {
	case s.asks <- open:
	case <-ctx.Done():
		return nil, mcpproxy.Errorf(mcpproxy.CodeCancelled, ctx.Err(), "the client left")
	}
	select {
	case a := <-open.answer:
		return a, nil
	case <-ctx.Done():
		return nil, mcpproxy.Errorf(mcpproxy.CodeCancelled, ctx.Err(), "the client did not answer")
	}
}

// await returns the final answer of s or its next question. If the client disconnects, the request
// is cancelled.
func (g *Gateway) await(ctx context.Context, s *suspended, m *wire.Message) *wire.Message {
	select {
	case resp := <-s.done:
		return resp.WithID(m.ID)
	case q := <-s.asks:
		s.open = q
		return g.suspend(ctx, s, m)
	case <-ctx.Done():
		return s.left(ctx, m)
	}
}

// left cancels s, because its client has disconnected or is no longer allowed to continue.
func (s *suspended) left(ctx context.Context, m *wire.Message) *wire.Message {
	s.cancel()
	return failed(m.ID, mcpproxy.Errorf(mcpproxy.CodeCancelled, ctx.Err(), "the client left"))
}

// suspend keeps s until its client has answered the open question.
func (g *Gateway) suspend(ctx context.Context, s *suspended, m *wire.Message) *wire.Message {
	token := rand.Text()
	g.mu.Lock()
	full, gone := len(g.suspended) >= maxSuspended, ctx.Err() != nil // Expel may have run already
	if !full && !gone {
		g.suspended[token] = s
	}
	g.mu.Unlock()
	switch {
	case gone:
		return s.left(ctx, m)
	case full:
		s.cancel()
		return failed(
			m.ID,
			mcpproxy.Errorf(mcpproxy.CodeInternal, nil, "too many requests are waiting for their clients"),
		)
	}
	time.AfterFunc(stateLife, func() { g.expire(token, s) })
	return wire.NewResult(m.ID, inputRequired(s.open.msg, token))
}

func (g *Gateway) expire(token string, s *suspended) {
	g.mu.Lock()
	_, waiting := g.suspended[token]
	delete(g.suspended, token)
	g.mu.Unlock()
	if waiting {
		s.cancel()
	}
}

// resume continues a suspended request with its client's answer. The state is random, valid once,
// and only for the request that it was made for.
func (g *Gateway) resume(ctx context.Context, c *caller, m *wire.Message, token string) *wire.Message {
	g.mu.Lock()
	s, ok := g.suspended[token]
	if ok && s.binding == bindingOf(c, m) {
		delete(g.suspended, token)
	} else {
		ok = false
	}
	g.mu.Unlock()
	if !ok {
		return invalid(m.ID, "requestState is unknown, expired or belongs to another request: send the request anew")
	}
	c.judged.Store(true) // the resumed request records the outcome
	answer := wire.Member(m.Params, "inputResponses", inputKey)
	if answer == nil {
		return g.suspend(ctx, s, m) // ask again, as the specification requires for a missing answer
	}
	s.open.answer <- wire.NewResult(s.open.msg.ID, answer)
	return g.await(ctx, s, m)
}

const inputKey = "mcpproxy"

func inputRequired(q *wire.Message, token string) []byte {
	request := wire.Set(nil, wire.Quote(q.Method), "method")
	if q.Params != nil {
		request = wire.Set(request, q.Params, "params")
	}
	result := wire.Set(nil, []byte(`"input_required"`), "resultType")
	result = wire.Set(result, request, "inputRequests", inputKey)
	return wire.Set(result, wire.Quote(statePrefix+token), "requestState")
}

// ownStateToken returns the token in a requestState that this proxy made.
func ownStateToken(m *wire.Message) (string, bool) {
	state := wire.String(m.Params, "requestState")
	if len(state) <= len(statePrefix) || state[:len(statePrefix)] != statePrefix {
		return "", false
	}
	return state[len(statePrefix):], true
}

// bindingOf returns the hash that a retry and its original request must share.
func bindingOf(c *caller, m *wire.Message) [32]byte {
	h := sha256.New()
	for _, part := range [][]byte{
		[]byte(c.principal),
		fmt.Append(nil, c.keyless),
		fmt.Appendf(nil, "%q", c.grants),
		[]byte(c.endpoint),
		[]byte(c.sessionName()),
		[]byte(m.Method),
		wire.Member(m.Params, "name"),
		wire.Member(m.Params, "uri"),
		wire.Member(m.Params, "arguments"),
	} {
		_, _ = h.Write(wire.IntID(int64(len(part))))
		_, _ = h.Write([]byte{0})
		_, _ = h.Write(part)
	}
	return [32]byte(h.Sum(nil))
}
