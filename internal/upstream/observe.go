package upstream

import (
	"sync/atomic"
	"time"

	"mcpproxy"
)

// Sample describes one finished call for metrics.
type Sample struct {
	Server  string
	Waited  time.Duration // for its turn
	Took    time.Duration // from its turn to its end
	Code    mcpproxy.Code // why it failed; "" when the server answered
	Retried bool
}

// watcher passes samples to the function that counts them.
type watcher struct{ f atomic.Pointer[func(Sample)] }

// Observe makes the manager call f at the end of every call. f must not block.
func (m *Manager) Observe(f func(Sample)) { m.watch.f.Store(&f) }

func (s *Server) observe(sample Sample) {
	if f := s.watch.f.Load(); f != nil {
		sample.Server = s.spec.Name
		(*f)(sample)
	}
}
