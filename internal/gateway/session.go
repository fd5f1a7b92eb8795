package gateway

import (
	"context"
	"crypto/rand"
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
	near      bool // see caller
	endpoint  string
	hello     []byte // the client's initialize params
	version   string // negotiated revision
	ready     bool   // the client has sent notifications/initialized
	target    target
	running   sync.WaitGroup // requests being served

	mu       sync.Mutex
	used     time.Time
	standing *stream                       // the GET stream, if the client has one
	open     map[*stream]bool              // streams of requests being served
	backlog  []*wire.Message               // for a stream still to come
	held     int                           // bytes in the backlog
	calls    map[string]context.CancelFunc // running requests, by the client's id
	asked    map[string]chan *wire.Message // requests put to the client, by our id
	next     int
	log      string
	watched  map[string]context.CancelFunc // resources watched on a stateless server
}

// maxBacklog bounds the messages kept for a client that has no stream open.
const maxBacklog = 256

func (g *Gateway) newSession(c *caller, t target, hello []byte) *session {
	s := &session{id: rand.Text(), principal: c.principal, near: c.near, endpoint: c.endpoint, target: t, hello: hello, used: time.Now(),
		open: map[*stream]bool{}, calls: map[string]context.CancelFunc{}, asked: map[string]chan *wire.Message{},
		watched: map[string]context.CancelFunc{}}
	g.mu.Lock()
	g.sessions[s.id] = s
	g.mu.Unlock()
	return s
}

func (g *Gateway) session(id string) (*session, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s, ok := g.sessions[id]
	return s, ok
}

// endSession frees a session and everything that waits in it.
func (g *Gateway) endSession(s *session) {
	g.mu.Lock()
	delete(g.sessions, s.id)
	g.mu.Unlock()
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
	s.mu.Unlock()
	go func() { // its calls are cancelled upstream before its link goes
		gone := make(chan struct{})
		go func() {
			s.running.Wait()
			close(gone)
		}()
		select {
		case <-gone:
		case <-time.After(time.Second):
		}
		s.target.ended(s)
	}()
}

func (s *session) idleSince(limit time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used.Before(limit) && s.standing == nil && len(s.open) == 0
}

// begin counts a request in; it refuses an id that is already in use.
func (s *session) begin(id []byte, st *stream, cancel context.CancelFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
	if _, busy := s.calls[string(id)]; busy {
		return false
	}
	s.calls[string(id)] = cancel
	s.open[st] = true
	s.running.Add(1)
	return true
}

func (s *session) finish(id []byte, st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
	delete(s.calls, string(id))
	delete(s.open, st)
	s.running.Done()
}

// cancel ends a running request at the client's wish.
func (s *session) cancel(id []byte) {
	s.mu.Lock()
	cancel := s.calls[string(id)]
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// ask puts a server's request to the client, on st or else wherever a stream is
// open, and waits for the answer. The answer carries the server's own id. A client
// whose answer is no longer waited for is told so.
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
		return a.WithID(m.ID), nil
	case <-ctx.Done():
		moot := wire.NewNotification("notifications/cancelled", wire.Set(nil, []byte(id), "requestId"))
		if st == nil || !st.event(moot) {
			s.deliver(moot)
		}
		return nil, mcpproxy.Errorf(mcpproxy.CodeCancelled, ctx.Err(), "the client did not answer")
	}
}

// answered takes a client's answer to a request put to it.
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

// deliver sends what belongs to no request: on the standing stream, else on any
// open one, else as soon as there is one.
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

// stand makes st the standing stream, in place of an older one.
func (s *session) stand(st *stream) {
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

func (s *session) unstand(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
	if s.standing == st {
		s.standing = nil
	}
}

// unclaimed handles what a session's own server sends for no call in particular.
func (s *session) unclaimed(g *Gateway, c *caller) upstream.Listener {
	free := *c // belongs to no request, and so to no stream
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
			q.answer(context.Background(), g, link, &free, m)
			return
		}
		g.tell(context.Background(), link.Server(), &free, m)
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

func (s *session) setLogLevel(level string) {
	s.mu.Lock()
	s.log = level
	s.mu.Unlock()
}

func (s *session) wantedLog() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log
}

// subscribe watches a resource of a stateless server for a stateful client.
func (s *session) subscribe(ctx context.Context, link *upstream.Link, uri string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.watched[uri]; cancel != nil {
		cancel()
		delete(s.watched, uri)
	}
	if !on {
		return
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.watched[uri] = cancel
	params := wire.Set(nil, wire.MustJSON([]string{uri}), "notifications", "resourceSubscriptions")
	req := wire.NewRequest([]byte("0"), "subscriptions/listen", upstream.WithClientMeta(params, s.hello))
	go func() {
		_, _ = link.Listen(ctx, req, func(m *wire.Message) {
			if m.Method == "notifications/resources/updated" {
				s.deliver(m)
			}
		})
	}()
}
