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

	"golang.org/x/sync/semaphore"

	"mcpproxy"
	"mcpproxy/internal/egress"
	"mcpproxy/internal/registry"
	"mcpproxy/internal/wire"
)

// State is the state of the connection to a server.
type State string

// The states.
const (
	Disabled   State = "disabled"
	Connecting State = "connecting"
	Ready      State = "ready"
	Failed     State = "error" // will be tried again
)

// Status describes a server's state for people.
type Status struct {
	Name     string    `json:"name"`
	Protocol Protocol  `json:"protocol"`
	State    State     `json:"state"`
	Version  string    `json:"protocol_version,omitempty"`
	Since    time.Time `json:"since"`
	Error    string    `json:"error,omitempty"`
	Login    string    `json:"login,omitempty" doc:"Command for the login, if the server cannot be used without one"`
	Retry    time.Time `json:"next_retry,omitzero,omitempty"`

	Breaker   BreakerState `json:"breaker,omitempty" doc:"closed, open or half_open; absent where the breaker is off"`
	InFlight  int          `json:"in_flight" doc:"Calls under way"`
	Queued    int          `json:"queued" doc:"Calls that wait for their turn"`
	Faults    int64        `json:"faults" doc:"Calls and attempts to connect at which the server failed, since mcpproxy started"`
	LastFault *Fault       `json:"last_fault,omitempty"`

	Program   string       `json:"program,omitempty" doc:"Absolute path of a stdio server's program, as it was last started"`
	Isolation *Confinement `json:"isolation,omitempty" doc:"How a stdio server is confined; absent when it is not"`

	Unpinned *registry.Floating `json:"unpinned,omitempty" doc:"A package that a stdio server's command fetches without a fixed version; absent when there is none"`

	Unconfirmed []string `json:"unconfirmed,omitempty" doc:"Keys of isolation that a changed configuration loosens; they take effect when mcpproxy is restarted"`
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
	pins   *pins
	proxy  *egress.Proxy // proxy for its network access; nil without a list of hosts
	tasks  tasks

	answers *semaphore.Weighted // memory for large answers of all servers

	mu      sync.Mutex
	status  Status
	shared  slot            // the link without an owner
	links   map[Owner]*slot // links of owners
	every   map[*Link]bool  // all links that have not ended
	reopens int             // calls of Manager.Reopen for this server
	client  *http.Client    // client of all its links; nil until one is opened over HTTP
}

func newServer(spec Spec, m *Manager) *Server {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{
		spec:    spec,
		change:  m.change,
		heard:   m.heard,
		ctx:     ctx,
		cancel:  cancel,
		wake:    make(chan struct{}, 1),
		watch:   &m.watch,
		pins:    &m.pins,
		proxy:   m.proxyFor(spec),
		answers: m.answers,
		links:   map[Owner]*slot{},
		every:   map[*Link]bool{},
	}
	s.sizes = spec.Sizes.settled()
	s.guard = newGuard(spec.Name, spec.Limits, s.breakerChanged)
	s.status = Status{
		Name:     spec.Name,
		Protocol: spec.Protocol,
		State:    Disabled,
		Since:    time.Now().UTC(),
		Unpinned: registry.Unpinned(spec.Command, spec.Args),
	}
	if spec.Enabled {
		s.status.State = Connecting
		s.tasks.start(s.maintain)
	}
	return s
}

// Runs records the version of the package that the server's command has started, for the advice to pin it.
func (s *Server) Runs(version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.status.Unpinned != nil {
		at := s.status.Unpinned.At(version)
		s.status.Unpinned = &at
	}
}

// Name returns the configured name.
func (s *Server) Name() string { return s.spec.Name }

// Status returns the present state.
func (s *Server) Status() Status {
	s.mu.Lock()
	st := s.status
	s.mu.Unlock()
	s.guard.describe(&st)
	return st
}

// breakerChanged is called with the breaker's new state while the breaker's lock is held.
func (s *Server) breakerChanged(state BreakerState) {
	level := slog.LevelInfo
	if state == Open {
		level = slog.LevelWarn
	}
	slog.Log(s.ctx, level, "the breaker of a server changed", "server", s.spec.Name, "breaker", state)
	s.logs.note("mcpproxy: the breaker is " + string(state))
	s.tasks.start(func() { s.change(s) })
}

// Logs returns the last lines that the server wrote to its standard error.
func (s *Server) Logs() []LogLine { return s.logs.all() }

func (s *Server) timeout() time.Duration {
	if s.spec.Timeout > 0 {
		return s.spec.Timeout
	}
	return defaultTimeout
}

// steady is the lifetime of a link after which its end is not a sign of further failures.
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
			case <-s.wake: // notified by this link
			default:
			}
		}
		s.setRetry(time.Now().Add(wait))
		select {
		case <-time.After(wait):
			wait = min(wait*2, maxBackoff)
		case <-s.wake: // another caller connected
		case <-s.ctx.Done():
		}
	}
}

// Shared returns the link without an owner, and opens it if there is none. It is used for lists and
// health checks; calls use it only if [Server.SharesLink] reports true. While the breaker is open,
// Shared fails.
func (s *Server) Shared(ctx context.Context) (*Link, error) {
	if err := s.guard.breaker.refuses(); err != nil && s.usable() == nil {
		return nil, err
	}
	return s.sharedLink(ctx)
}

// settledLink returns the link of sharedLink for background work. It does not reconnect a failed server before the
// server's next retry is due.
func (s *Server) settledLink(ctx context.Context) (*Link, error) {
	s.mu.Lock()
	resting := s.shared.present() == nil && time.Now().Before(s.status.Retry)
	s.mu.Unlock()
	if resting {
		return nil, s.unreachable(ErrBroken)
	}
	return s.sharedLink(ctx)
}

// sharedLink returns the link of Shared for a request that is not an agent's call. Such a request may reach a
// server whose breaker is open, to detect its recovery.
func (s *Server) sharedLink(ctx context.Context) (*Link, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	return s.obtain(ctx, &s.shared, s.openShared)
}

func (s *Server) openShared(ctx context.Context) (*Link, error) {
	s.setState(Connecting, "", nil)
	g := Hello(nil, wire.Stateless)
	g.Common, g.unowned = true, true
	link, err := s.openCommon(ctx, g, s.unclaimed, func(ctx context.Context) (*Link, func(), error) {
		link, err := s.Shared(ctx)
		return link, func() {}, err // this link is never replaced
	})
	if err != nil {
		if s.ctx.Err() == nil { // otherwise it is the end of the server
			s.setState(Failed, "", err)
		}
		return nil, err
	}
	s.setState(Ready, link.Version, nil)
	if link.Era == wire.Stateless && string(wire.Member(link.Hello, "capabilities", "tools", "listChanged")) == "true" {
		s.tasks.start(func() { s.listen(link) })
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return link, nil
}

// listen subscribes to changes of tools on a server of the stateless era, which notifies only
// subscribers.
func (s *Server) listen(link *Link) {
	params := wire.Set(nil, []byte("true"), "notifications", "toolsListChanged")
	req := wire.NewRequest(
		[]byte("0"),
		"subscriptions/listen",
		WithClientMeta(params, Hello(nil, wire.Stateless).Params),
	)
	for wait := minBackoff; s.ctx.Err() == nil && link.alive(); wait = min(wait*2, maxBackoff) {
		_, _ = link.Listen(s.ctx, req, CallOptions{Events: func(m *wire.Message) {
			wait = minBackoff
			s.heard(s, m)
		}})
		select {
		case <-time.After(wait):
			s.change(s) // changes in between were missed
		case <-link.Done():
		case <-s.ctx.Done():
		}
	}
}

// unclaimed handles messages on the shared link that belong to no call.
func (s *Server) unclaimed(_ *Link, m *wire.Message) { s.heard(s, m) }

// usable returns why no link can be opened, or nil.
func (s *Server) usable() error {
	switch {
	case !s.spec.Enabled:
		return mcpproxy.Errorf(mcpproxy.CodeServerNotFound, nil, "server %q is disabled", s.spec.Name)
	case s.ctx.Err() != nil:
		return mcpproxy.Errorf(mcpproxy.CodeServerNotFound, nil, "server %q was removed", s.spec.Name)
	}
	return nil
}

// open opens a link. A failure to reach the server counts as a fault. A success does not count,
// because calls may fail anyway.
func (s *Server) open(ctx context.Context, g Greeting, listener Listener, renew renewal) (*Link, error) {
	done, refused := s.guard.breaker.allow()
	l, err := s.connect(ctx, g, listener, renew)
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

// unreachableError is the error if a link could not be opened for another reason than the server's
// refusal of the handshake.
type unreachableError struct{ error }

func (e unreachableError) Unwrap() error { return e.error }

// connect opens a link and makes the handshake. Until it returns, no other goroutine uses the link.
func (s *Server) connect(ctx context.Context, g Greeting, listener Listener, renew renewal) (*Link, error) {
	start := time.Now()
	l, err := s.establish(ctx, g, listener, renew)
	if err != nil { // the caller that wanted the link reports it
		slog.Debug("a link could not be opened", "server", s.spec.Name, "took", time.Since(start), "code",
			string(mcpproxy.CodeOf(err)))
		return nil, err
	}
	slog.Debug("a link was opened", "server", s.spec.Name, "took", time.Since(start))
	return l, nil
}

// establish returns connect without logging.
func (s *Server) establish(ctx context.Context, g Greeting, listener Listener, renew renewal) (*Link, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	l := newLink(s, cancel, listener)
	l.common, l.renew = g.Common, renew
	if !s.enter(l) {
		return nil, ErrBroken
	}
	if err := s.dial(ctx, l); err != nil {
		s.leave(l)
		if lacksToken(err) {
			return nil, err
		}
		return nil, unreachableError{err}
	}
	go func() {
		<-l.done
		<-l.transport.gone()
		slog.Debug("a link ended", "server", s.spec.Name)
		s.leave(l)
	}()
	agreed, err := l.greet(ctx, g)
	if err == nil {
		err = l.settle(agreed)
	}
	if held := s.started(l, g); held != nil && err == nil {
		l.fail(errors.Join(ErrBroken, held))
		return nil, held
	}
	if err != nil {
		fault := l.faulty(err)
		l.fail(errors.Join(ErrBroken, err))
		if fault {
			err = unreachableError{err}
		}
		return nil, err
	}
	return l, nil
}

// loggedOut ends a link whose server requires a login. It also ends the link without an owner: all
// links use the same credentials, and the server's state is that of the link without an owner.
func (s *Server) loggedOut(l *Link, reason error) {
	l.fail(reason)
	s.mu.Lock()
	shared := s.shared.present()
	s.mu.Unlock()
	if shared != nil {
		shared.fail(reason)
	}
}

// enter registers a link that the server must close at its end. It reports false if the server has
// already ended.
func (s *Server) enter(l *Link) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return false
	}
	s.every[l] = true
	return true
}

// leave removes a link that has ended completely.
func (s *Server) leave(l *Link) {
	s.mu.Lock()
	delete(s.every, l)
	s.mu.Unlock()
	close(l.left)
}

// dial creates the transport of a link. If it fails, it stops everything that it has started.
func (s *Server) dial(ctx context.Context, l *Link) error {
	switch s.spec.Protocol {
	case Stdio:
		return startStdio(l, s.spec, &s.logs)
	case HTTP:
		return s.dialHTTP(l)
	case SSE:
		return s.dialSSE(ctx, l)
	}
	return fmt.Errorf("unknown protocol %q", s.spec.Protocol)
}

func (s *Server) setState(state State, version string, err error) {
	s.mu.Lock()
	s.status.State = state
	s.status.Version = version
	s.status.Since = time.Now().UTC()
	s.status.Error = ""
	s.status.Login = ""
	s.status.Retry = time.Time{}
	if login := needsLogin(err); login != nil {
		s.status.Login, err = login.Command, login // the outer errors repeat it
	}
	if err != nil {
		s.status.Error = err.Error()
		s.logs.note("mcpproxy: " + err.Error())
	}
	s.mu.Unlock()
	s.change(s)
}

// setUnconfirmed stores the keys whose looser values in the configuration are not in force yet, and
// reports a change.
func (s *Server) setUnconfirmed(keys []string) {
	s.mu.Lock()
	changed := !slices.Equal(s.status.Unconfirmed, keys)
	s.status.Unconfirmed = keys
	s.mu.Unlock()
	if changed {
		s.tasks.start(func() { s.change(s) })
	}
}

func (s *Server) setRetry(at time.Time) {
	s.mu.Lock()
	s.status.Retry = at.UTC()
	s.mu.Unlock()
}

// leaveTime is how long the calls of a removed server may take.
const leaveTime = 5 * time.Second

// calm waits until no call is running, at most for the given time.
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

// close closes every link, including those being opened, and waits for their processes until the
// deadline of ctx. Afterwards the server reports no change of its state.
func (s *Server) close(ctx context.Context) {
	s.cancel()
	ended := s.tasks.stop()
	s.dropAll(func(Owner) bool { return true })
	s.mu.Lock()
	links := slices.Collect(maps.Keys(s.every))
	s.mu.Unlock()
	for _, l := range links {
		l.Close()
	}
	defer s.closeIdle()
	if s.proxy != nil {
		defer s.proxy.Close()
	}
	for _, l := range links {
		select {
		case <-l.left:
		case <-ctx.Done():
			return
		}
	}
	select {
	case <-ended:
	case <-ctx.Done():
	}
}
