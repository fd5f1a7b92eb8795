package gateway

import (
	"bytes"
	"context"
	"crypto/rand"
	"slices"
	"strconv"
	"sync"
	"time"

	"mcpproxy"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// session is one client of the stateful era, from initialize to DELETE.
type session struct {
	id        string
	principal string
	grants    []string // see caller
	near      bool     // see caller
	keyless   bool     // see caller
	endpoint  string
	hello     []byte // the client's initialize params
	version   string // negotiated revision
	ready     bool   // the client has sent notifications/initialized
	target    endpoint
	life      context.Context // ends together with the session
	end       context.CancelFunc

	mu       sync.Mutex
	running  int           // requests being served
	served   chan struct{} // closed after the last running request; nil until the session ends
	used     time.Time
	opening  bool                          // its initialize request is still being served
	called   bool                          // it has called a tool, or read a resource or a prompt
	standing *stream                       // the GET stream, if the client has one
	open     map[*stream]bool              // streams of requests being served
	backlog  []*wire.Message               // messages for a stream that is not open yet
	held     int                           // size of the backlog in bytes
	calls    map[string]context.CancelFunc // running requests, by the client's id
	asked    map[string]chan *wire.Message // requests sent to the client, by the proxy's id
	next     int
	log      string
	watched  map[string]context.CancelFunc // resources watched on a stateless server, by URI
	folder   string                        // folder in which the client works, from its roots; "" if unknown
	rooted   bool                          // the client was asked for its roots or has named them
}

// maxBacklog limits the messages kept for a client without an open stream.
const maxBacklog = 256

// newSession opens a session for c. It returns nil if no session can be removed to make room (see
// [Gateway.makeRoom]).
func (g *Gateway) newSession(c *caller, t endpoint, hello []byte) *session {
	s := &session{
		id:        rand.Text(),
		principal: c.principal,
		grants:    c.grants,
		near:      c.near,
		keyless:   c.keyless,
		endpoint:  c.endpoint,
		target:    t,
		hello:     bytes.Clone(retraced(hello, "")), // cloned because a slice would keep the whole request in memory
		used:      time.Now(),
		opening:   true,
		open:      map[*stream]bool{},
		calls:     map[string]context.CancelFunc{},
		asked:     map[string]chan *wire.Message{},
		watched:   map[string]context.CancelFunc{},
	}
	s.life, s.end = context.WithCancel(context.Background())
	g.mu.Lock()
	ended, room := g.makeRoom(c.principal, s.used)
	if room {
		g.sessions[s.id] = s
	}
	g.mu.Unlock()
	if ended != nil {
		g.endSession(ended)
	}
	if !room {
		s.end()
		return nil
	}
	return s
}

// opened marks the end of the initialize request.
func (s *session) opened() {
	s.mu.Lock()
	s.opening = false
	s.mu.Unlock()
}

func (g *Gateway) session(id string) (*session, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s, ok := g.sessions[id]
	return s, ok
}

// endSession releases a session and everything that waits in it.
func (g *Gateway) endSession(s *session) {
	g.mu.Lock()
	delete(g.sessions, s.id)
	g.mu.Unlock()
	s.end()
	own := (&caller{principal: s.principal, session: s}).ownSession()
	g.pages.forget(func(h *heldResult) bool { return h.session == own })
	s.mu.Lock()
	for _, cancel := range s.calls {
		cancel()
	}
	for _, cancel := range s.watched {
		cancel()
	}
	if s.standing != nil {
		s.standing.end()
	}
	served := make(chan struct{})
	if s.running == 0 {
		close(served)
	} else if s.served == nil {
		s.served = served
	}
	s.mu.Unlock()
	go func() { // cancel its calls upstream before its link is closed
		select {
		case <-served:
		case <-time.After(time.Second):
		}
		g.servers.EndSession(s.principal, s.id)
	}()
}

func (s *session) idleSince(limit time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used.Before(limit) && s.standing == nil && len(s.open) == 0
}

// begin registers a request. It refuses an id that is already in use.
func (s *session) begin(m *wire.Message, st *stream, cancel context.CancelFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
	if _, busy := s.calls[string(m.ID)]; busy {
		return false
	}
	s.called = s.called || slices.Contains(suspendable, m.Method)
	s.calls[string(m.ID)] = cancel
	s.open[st] = true
	s.running++
	return true
}

func (s *session) finish(id []byte, st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
	delete(s.calls, string(id))
	delete(s.open, st)
	s.running--
	if s.running == 0 && s.served != nil {
		close(s.served)
		s.served = nil
	}
}

// cancel cancels a running request for the client.
func (s *session) cancel(id []byte) {
	s.mu.Lock()
	cancel := s.calls[string(id)]
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// ask sends a server's request to the client, on st or on another open stream, and waits for the
// answer. The answer carries the server's own id. If the wait ends early, ask sends the client a
// cancellation.
func (s *session) ask(ctx context.Context, st *stream, m *wire.Message) (*wire.Message, error) {
	answer := make(chan *wire.Message, 1)
	s.mu.Lock()
	s.next++
	id := strconv.Quote("mcpproxy-" + strconv.Itoa(s.next))
	s.asked[id] = answer
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.asked, id)
		s.mu.Unlock()
	}()
	out := m.WithID([]byte(id))
	if st == nil || !st.event(out) {
		s.deliver(out)
	}
	select {
	case a := <-answer:
		if m.Method == rootsMethod {
			s.learnRoots(a.Result)
		}
		return a.WithID(m.ID), nil
	case <-ctx.Done():
		moot := wire.NewNotification("notifications/cancelled", wire.Set(nil, []byte(id), "requestId"))
		if st == nil || !st.event(moot) {
			s.deliver(moot)
		}
		return nil, mcpproxy.Errorf(mcpproxy.CodeCancelled, ctx.Err(), "the client did not answer")
	}
}

// answered handles a client's answer to a request sent to it.
func (s *session) answered(m *wire.Message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer, ok := s.asked[string(m.ID)]
	if ok {
		delete(s.asked, string(m.ID))
		answer <- m
	}
	return ok
}

// deliver sends a message that belongs to no request. It uses the GET stream, or any open stream,
// or the next stream that opens.
func (s *session) deliver(m *wire.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.standing != nil && s.standing.event(m) {
		return
	}
	for st := range s.open {
		if st.event(m) {
			return
		}
	}
	if len(s.backlog) < maxBacklog && s.held+len(m.Raw) <= maxQueuedBytes {
		s.backlog = append(s.backlog, m)
		s.held += len(m.Raw)
	}
}

// setStanding makes st the GET stream and replaces an older one.
func (s *session) setStanding(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
	if s.standing != nil {
		s.standing.end()
	}
	s.standing = st
	backlog := s.backlog
	s.backlog, s.held = nil, 0
	for _, m := range backlog {
		st.event(m)
	}
}

func (s *session) clearStanding(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
	if s.standing == st {
		s.standing = nil
	}
}

// unclaimed handles the messages of a session's own server that belong to no call.
func (s *session) unclaimed(g *Gateway, c *caller) upstream.Listener {
	free := s.caller(c.header, nil) // belongs to no request and therefore to no stream
	free.flow, free.evaluation = c.flow, c.evaluation
	free.notify = s.deliver
	free.ask = func(ctx context.Context, m *wire.Message) (*wire.Message, error) {
		if err := c.mayAsk(m.Method); err != nil {
			return nil, err
		}
		return s.ask(ctx, nil, m)
	}
	var q questions
	return func(link *upstream.Link, m *wire.Message) {
		if m.IsRequest() {
			q.answer(s.life, g, link, free, m)
			return
		}
		g.forwardNotification(s.life, link.Server(), free, m)
	}
}

// isReady reports whether the client has completed its handshake.
func (s *session) isReady() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready
}

func (s *session) setReady() {
	s.mu.Lock()
	s.ready = true
	s.mu.Unlock()
}

// setLogLevel stores the minimum level of log messages that the client wants. It reports whether
// the level exists.
func (s *session) setLogLevel(level string) bool {
	if !slices.Contains(logLevels, level) {
		return false
	}
	s.mu.Lock()
	s.log = level
	s.mu.Unlock()
	return true
}

// logLevels are the log levels of MCP, which are those of RFC 5424.
var logLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

func (s *session) wantedLog() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log
}

// maxWatched limits the resources that one session watches on a stateless server. Each of them
// keeps a request to the server open.
const maxWatched = 64

// subscribe watches a resource of a stateless server for a stateful client. It reports false at the
// limit of watched resources.
func (s *session) subscribe(ctx context.Context, link *upstream.Link, uri string, on bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.watched[uri]; cancel != nil {
		cancel()
		delete(s.watched, uri)
	}
	if !on {
		return true
	}
	if len(s.watched) >= maxWatched {
		return false
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.watched[uri] = cancel
	params := wire.Set(nil, wire.MustJSON([]string{uri}), "notifications", "resourceSubscriptions")
	req := wire.NewRequest([]byte("0"), "subscriptions/listen", upstream.WithClientMeta(params, s.hello))
	go func() {
		_, _ = link.Listen(ctx, req, upstream.CallOptions{Events: func(m *wire.Message) {
			if m.Method == "notifications/resources/updated" {
				s.deliver(m)
			}
		}})
	}()
	return true
}
