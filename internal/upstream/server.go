package upstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// State is what a server is doing.
type State string

// The states.
const (
	Disabled   State = "disabled"
	Connecting State = "connecting"
	Ready      State = "ready"
	Failed     State = "error" // will be tried again
)

// Status is a server's state as people see it.
type Status struct {
	Name     string    `json:"name"`
	Protocol Protocol  `json:"protocol"`
	State    State     `json:"state"`
	Version  string    `json:"protocol_version,omitempty"`
	Since    time.Time `json:"since"`
	Error    string    `json:"error,omitempty"`
	Login    string    `json:"login,omitempty" doc:"The command with which its owner logs in, where nothing works before"`
	Retry    time.Time `json:"next_retry,omitzero,omitempty"`

	Breaker   BreakerState `json:"breaker,omitempty" doc:"closed, open or half_open; absent where the breaker is off"`
	InFlight  int          `json:"in_flight" doc:"Calls under way"`
	Queued    int          `json:"queued" doc:"Calls that wait for their turn"`
	Faults    int64        `json:"faults" doc:"Calls and attempts to connect at which the server failed, since mcpproxy started"`
	LastFault *Fault       `json:"last_fault,omitempty"`

	Program   string       `json:"program,omitempty" doc:"Absolute path of a stdio server's program, as it was last started"`
	Isolation *Confinement `json:"isolation,omitempty" doc:"How a stdio server is confined; absent when it is not"`
}

// Server is one configured server.
type Server struct {
	spec   Spec
	logs   logBuffer
	change func(*Server) // called when the state changed
	heard  func(*Server, *wire.Message)
	ctx    context.Context
	cancel context.CancelFunc
	wake   chan struct{}
	guard  *guard
	sizes  Sizes
	watch  *watcher

	mu     sync.Mutex
	status Status
	shared slot             // the link that callers share
	links  map[string]*slot // links of their own, by key
	every  map[*Link]bool   // whatever is not gone yet
	client *http.Client     // of all its links; nil until one is opened over HTTP
}

func newServer(spec Spec, change func(*Server), heard func(*Server, *wire.Message), watch *watcher) *Server {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{spec: spec, change: change, heard: heard, ctx: ctx, cancel: cancel, wake: make(chan struct{}, 1),
		watch: watch, links: map[string]*slot{}, every: map[*Link]bool{}}
	s.sizes = spec.Sizes.settled()
	s.guard = newGuard(spec.Name, spec.Limits, s.breakerChanged)
	s.status = Status{Name: spec.Name, Protocol: spec.Protocol, State: Disabled, Since: time.Now().UTC()}
	if spec.Enabled {
		s.status.State = Connecting
		go s.maintain()
	}
	return s
}

// Name is the configured name.
func (s *Server) Name() string { return s.spec.Name }

// Status is the present state.
func (s *Server) Status() Status {
	s.mu.Lock()
	st := s.status
	s.mu.Unlock()
	s.guard.describe(&st)
	return st
}

// breakerChanged is told of the breaker's new state, by whoever holds its lock.
func (s *Server) breakerChanged(state BreakerState) {
	level := slog.LevelInfo
	if state == Open {
		level = slog.LevelWarn
	}
	slog.Log(s.ctx, level, "the breaker of a server changed", "server", s.spec.Name, "breaker", state)
	s.logs.note("mcpproxy: the breaker is " + string(state))
	go s.change(s)
}

// Logs are the last lines that the server wrote to its standard error.
func (s *Server) Logs() []LogLine { return s.logs.all() }

func (s *Server) timeout() time.Duration {
	if s.spec.Timeout > 0 {
		return s.spec.Timeout
	}
	return defaultTimeout
}

// steady is how long a link lives whose end is no sign that the next one will not.
const steady = 30 * time.Second

// maintain keeps the shared link open.
func (s *Server) maintain() {
	wait := minBackoff
	for s.ctx.Err() == nil {
		link, err := s.sharedLink(s.ctx)
		if err == nil {
			opened := time.Now()
			select {
			case <-link.Done():
			case <-s.ctx.Done():
				return
			}
			if time.Since(opened) > steady || !link.died() {
				wait = minBackoff
				continue
			}
			select {
			case <-s.wake: // by this link
			default:
			}
		}
		s.setRetry(time.Now().Add(wait))
		select {
		case <-time.After(wait):
			wait = min(wait*2, maxBackoff)
		case <-s.wake: // somebody else connected
		case <-s.ctx.Done():
		}
	}
}

// Shared returns the link that callers share, opening it when there is none.
// While the breaker is open it is refused.
func (s *Server) Shared(ctx context.Context) (*Link, error) {
	if err := s.guard.breaker.refuses(); err != nil && s.usable() == nil {
		return nil, err
	}
	return s.sharedLink(ctx)
}

// settledLink is sharedLink for what nobody waits for: a server that has just ended is
// left alone until it is its turn again.
func (s *Server) settledLink(ctx context.Context) (*Link, error) {
	s.mu.Lock()
	resting := s.shared.present() == nil && time.Now().Before(s.status.Retry)
	s.mu.Unlock()
	if resting {
		return nil, s.unreachable(ErrBroken)
	}
	return s.sharedLink(ctx)
}

// sharedLink is Shared for what is no agent's call: a server is found well again
// by trying it.
func (s *Server) sharedLink(ctx context.Context) (*Link, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	return s.obtain(ctx, &s.shared, s.openShared)
}

func (s *Server) openShared(ctx context.Context) (*Link, error) {
	s.setState(Connecting, "", nil)
	link, err := s.open(ctx, Hello(nil, wire.Stateless), true, s.unclaimed)
	if err == nil {
		err = link.Initialized(ctx)
	}
	if err != nil {
		s.setState(Failed, "", err)
		return nil, err
	}
	s.setState(Ready, link.Version, nil)
	if link.Era == wire.Stateless && string(wire.Member(link.Hello, "capabilities", "tools", "listChanged")) == "true" {
		go s.listen(link)
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return link, nil
}

// listen hears of changed tools from a server of the stateless era, which tells
// only those who listen.
func (s *Server) listen(link *Link) {
	params := wire.Set(nil, []byte("true"), "notifications", "toolsListChanged")
	req := wire.NewRequest([]byte("0"), "subscriptions/listen", WithClientMeta(params, Hello(nil, wire.Stateless).Params))
	for wait := minBackoff; s.ctx.Err() == nil && link.alive(); wait = min(wait*2, maxBackoff) {
		_, _ = link.Listen(s.ctx, req, func(m *wire.Message) {
			wait = minBackoff
			s.heard(s, m)
		})
		select {
		case <-time.After(wait):
			s.change(s) // what happened in between was not heard
		case <-s.ctx.Done():
		}
	}
}

// unclaimed handles what arrives on the shared link for no call in particular.
func (s *Server) unclaimed(_ *Link, m *wire.Message) { s.heard(s, m) }

// Own returns the link kept under key, opening it with the given greeting when
// there is none. Listener receives what belongs to no call.
func (s *Server) Own(ctx context.Context, key string, g Greeting, listener Listener) (*Link, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	if err := s.guard.breaker.refuses(); err != nil {
		return nil, err
	}
	place, err := s.slot(key)
	if err != nil {
		return nil, err
	}
	return s.obtain(ctx, place, func(ctx context.Context) (*Link, error) { return s.open(ctx, g, false, listener) })
}

// usable says why no link can be had.
func (s *Server) usable() error {
	switch {
	case !s.spec.Enabled:
		return mcpproxy.Errorf(mcpproxy.CodeServerNotFound, nil, "server %q is disabled", s.spec.Name)
	case s.ctx.Err() != nil:
		return mcpproxy.Errorf(mcpproxy.CodeServerNotFound, nil, "server %q was removed", s.spec.Name)
	}
	return nil
}

// Drop closes the link kept under key.
func (s *Server) Drop(key string) {
	s.mu.Lock()
	place := s.links[key]
	delete(s.links, key)
	var l *Link
	if place != nil {
		place.dropped = true
		l = place.present()
	}
	s.mu.Unlock()
	if l != nil {
		l.Close()
	}
}

// open makes a link, and counts it as a fault where the server cannot be reached.
// To reach it proves little: calls may fail all the same.
func (s *Server) open(ctx context.Context, g Greeting, shared bool, listener Listener) (*Link, error) {
	done, refused := s.guard.breaker.allow()
	l, err := s.connect(ctx, g, shared, listener)
	verdict := errNeutral
	if _, ok := errors.AsType[unreachableError](err); ok && s.ctx.Err() == nil {
		verdict = err
		s.guard.blame(mcpproxy.Errorf(mcpproxy.CodeUpstream, err, "connecting failed"))
	}
	if refused == nil {
		done(verdict)
	}
	return l, err
}

// unreachableError is what kept a link from being opened, where it was not the
// server's own refusal of the greeting.
type unreachableError struct{ error }

func (e unreachableError) Unwrap() error { return e.error }

// connect makes a link and greets the server.
func (s *Server) connect(ctx context.Context, g Greeting, shared bool, listener Listener) (*Link, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	l := newLink(s, shared, listener)
	l.common = shared || g.Common
	var err error
	switch s.spec.Protocol {
	case Stdio:
		err = startStdio(l, s.spec, &s.logs)
	case HTTP:
		err = s.dialHTTP(l)
	case SSE:
		err = s.dialSSE(ctx, l)
	default:
		err = fmt.Errorf("unknown protocol %q", s.spec.Protocol)
	}
	if err != nil {
		if needsLogin(err) != nil {
			return nil, err
		}
		return nil, unreachableError{err}
	}
	s.mu.Lock()
	s.every[l] = true
	s.mu.Unlock()
	go func() {
		<-l.Done()
		<-l.transport.gone()
		s.mu.Lock()
		delete(s.every, l)
		s.mu.Unlock()
	}()
	if err := l.greet(ctx, g); err != nil {
		fault := l.faulty(err)
		l.fail(errors.Join(ErrBroken, err))
		if fault {
			err = unreachableError{err}
		}
		return nil, err
	}
	if s.ctx.Err() != nil { // closed meanwhile
		l.Close()
		return nil, ErrBroken
	}
	return l, nil
}

func (s *Server) setState(state State, version string, err error) {
	s.mu.Lock()
	s.status.State, s.status.Version, s.status.Since = state, version, time.Now().UTC()
	s.status.Error, s.status.Login, s.status.Retry = "", "", time.Time{}
	if login := needsLogin(err); login != nil {
		s.status.Login, err = login.Command, login // the rest says the same once more
	}
	if err != nil {
		s.status.Error = err.Error()
		s.logs.note("mcpproxy: " + err.Error())
	}
	s.mu.Unlock()
	s.change(s)
}

func (s *Server) setRetry(at time.Time) {
	s.mu.Lock()
	s.status.Retry = at.UTC()
	s.mu.Unlock()
}

// leaveTime is how long the calls of a server may take that was taken away.
const leaveTime = 5 * time.Second

// calm waits until no call is under way, for so long at most.
func (s *Server) calm(most time.Duration) {
	for end := time.Now().Add(most); s.ctx.Err() == nil && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		s.mu.Lock()
		links := slices.Collect(maps.Keys(s.every))
		s.mu.Unlock()
		if !slices.ContainsFunc(links, func(l *Link) bool { return l.waiting() > 0 }) {
			return
		}
	}
}

// close ends every link and waits for their processes, up to the deadline of ctx.
func (s *Server) close(ctx context.Context) {
	s.cancel()
	s.mu.Lock()
	var links []*Link
	for l := range s.every {
		links = append(links, l)
	}
	s.mu.Unlock()
	for _, l := range links {
		l.Close()
	}
	defer s.closeIdle()
	for _, l := range links {
		select {
		case <-l.transport.gone():
		case <-ctx.Done():
			return
		}
	}
}
