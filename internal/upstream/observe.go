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
	Waited  time.Duration // time spent waiting for a slot
	Took    time.Duration // time from the slot to the end
	Code    mcpproxy.Code // why it failed; "" when the server answered
	Retried bool
}

// watcher passes samples to the function that counts them, and started programs to the function
// that checks them.
type watcher struct {
	f       atomic.Pointer[func(Sample)]
	started atomic.Pointer[func(context.Context, *Server, *program.Started) error]
	network atomic.Pointer[Network]
}

// Network receives the connections of servers with a list of hosts. Its functions must not block.
type Network struct {
	Attempt  func(server string, a egress.Attempt)     // each attempted connection
	Moved    func(server string, sent, received int64) // each ended connection, with the bytes sent and received
	Observed func(server string, t egress.Target)      // each connection of a server without refusals
	Own      func(netip.AddrPort) bool                 // reports whether mcpproxy itself listens there
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

// Started makes the manager call f whenever it has started the program of a stdio server, after the
// handshake succeeded or failed. f must read or close the program. If f returns an error, a link
// that is meant for calls is closed. The context is the server's life.
func (m *Manager) Started(f func(context.Context, *Server, *program.Started) error) {
	m.watch.started.Store(&f)
}

// started passes the program of a link to the function set by [Manager.Started], if any. It returns
// the function's error, unless the link has no owner: such a link only reads definitions and stays open.
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
