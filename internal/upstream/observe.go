package upstream

import (
	"context"
	"net/netip"
	"sync/atomic"
	"time"

	"mcpproxy"
	"mcpproxy/internal/egress"
	"mcpproxy/internal/program"
)

// Sample describes one finished call for metrics.
type Sample struct {
	Server  string
	Waited  time.Duration // for its turn
	Took    time.Duration // from its turn to its end
	Code    mcpproxy.Code // why it failed; "" when the server answered
	Retried bool
}

// watcher passes samples to the function that counts them, and started programs to the one that
// looks at them.
type watcher struct {
	f       atomic.Pointer[func(Sample)]
	started atomic.Pointer[func(context.Context, *Server, *program.Started) error]
	network atomic.Pointer[Network]
}

// Network is told of the connections of servers that have a list of hosts. Its functions must not block.
type Network struct {
	Attempt  func(server string, a egress.Attempt)     // each connection that such a server wants
	Moved    func(server string, sent, received int64) // each that has ended: bytes to and from the host
	Observed func(server string, t egress.Target)      // each that is let through because nothing is refused
	Own      func(netip.AddrPort) bool                 // whether mcpproxy itself listens there
}

// WatchNetwork makes the manager call the functions of n.
func (m *Manager) WatchNetwork(n Network) { m.watch.network.Store(&n) }

func (w *watcher) attempted(server string, a egress.Attempt, observes bool) {
	n := w.network.Load()
	if n == nil {
		return
	}
	n.Attempt(server, a)
	if observes && a.Refused == "" {
		n.Observed(server, a.Target)
	}
}

func (w *watcher) moved(server string, sent, received int64) {
	if n := w.network.Load(); n != nil {
		n.Moved(server, sent, received)
	}
}

func (w *watcher) own(at netip.AddrPort) bool {
	n := w.network.Load()
	return n != nil && n.Own(at)
}

// Started makes the manager call f each time that it has started the program of a stdio server,
// once the server has been greeted or could not be. f reads or closes the program. If it returns
// an error, a link that is meant for calls is given up. The context is the server's life.
func (m *Manager) Started(f func(context.Context, *Server, *program.Started) error) {
	m.watch.started.Store(&f)
}

// started passes a program on. The link that only reads what the server declares stays in any case.
func (s *Server) started(l *Link, g Greeting) error {
	f := s.watch.started.Load()
	if l.program == nil {
		return nil
	}
	if f == nil {
		l.program.Close()
		return nil
	}
	err := (*f)(s.ctx, s, l.program)
	if g.unowned {
		return nil
	}
	return err
}

// Observe makes the manager call f at the end of every call. f must not block.
func (m *Manager) Observe(f func(Sample)) { m.watch.f.Store(&f) }

func (s *Server) observe(sample Sample) {
	if f := s.watch.f.Load(); f != nil {
		sample.Server = s.spec.Name
		(*f)(sample)
	}
}
