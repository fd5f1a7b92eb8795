package upstream

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/semaphore"

	"mcpproxy/internal/wire"
)

// Manager holds the configured servers.
type Manager struct {
	change func(*Server)
	heard  func(*Server, *wire.Message)
	watch  watcher
	pins   pins

	answers *semaphore.Weighted // memory for large answers of all servers

	mu      sync.Mutex
	servers map[string]*Server
	leaving map[*Server]bool // removed servers that have not ended yet

	confined map[string]*Isolation // last confinement of each server, including removed ones
}

// NewManager returns a manager without servers. It calls change after each change of a server's
// state, and heard with each notification that belongs to no call. Neither may block.
func NewManager(change func(*Server), heard func(*Server, *wire.Message)) *Manager {
	return &Manager{
		change:   change,
		heard:    heard,
		answers:  semaphore.NewWeighted(answerBytes),
		servers:  map[string]*Server{},
		leaving:  map[*Server]bool{},
		confined: map[string]*Isolation{},
	}
}

// Apply replaces the configured servers with specs. A server with an unchanged spec keeps its
// connections and calls. Calls to other servers get some time to finish.
//
// A changed spec cannot loosen the confinement of a server in a running manager, because the server
// itself may have changed the configuration. The new values take effect in a new Manager; until
// then the server's Status lists them.
func (m *Manager) Apply(specs []Spec) {
	m.mu.Lock()
	old := m.servers
	m.servers = make(map[string]*Server, len(specs))
	for _, spec := range specs {
		unconfirmed := m.confine(&spec)
		if s, ok := old[spec.Name]; ok && s.spec.same(spec) {
			m.servers[spec.Name] = s
			delete(old, spec.Name)
		} else {
			if ok {
				s.narrow(spec)
			}
			m.servers[spec.Name] = newServer(spec, m)
		}
		m.servers[spec.Name].setUnconfirmed(unconfirmed)
	}
	for _, s := range old {
		m.leaving[s] = true
		go m.leave(s)
	}
	m.mu.Unlock()
}

// confine keeps a server's previous confinement if the new one is looser, and returns what was
// looser.
func (m *Manager) confine(spec *Spec) []string {
	if spec.Protocol != Stdio {
		return nil
	}
	before := m.confined[spec.Name]
	loosened := before.loosened(spec.Isolation)
	if len(loosened) > 0 {
		slog.Warn("the configuration loosens a server's isolation; the old one stays in force until mcpproxy is restarted",
			"server", spec.Name, "loosened", strings.Join(loosened, ", "))
		spec.Isolation = before
	}
	if spec.Isolation != nil {
		m.confined[spec.Name] = spec.Isolation
	}
	return loosened
}

// leave closes a removed server.
func (m *Manager) leave(s *Server) {
	s.calm(leaveTime)
	s.close(context.Background())
	m.mu.Lock()
	delete(m.leaving, s)
	m.mu.Unlock()
}

// Get returns the server of that name.
func (m *Manager) Get(name string) (*Server, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.servers[name]
	return s, ok
}

// Successor returns the server that has replaced s under its name, if s was replaced and the new
// server is at the same address or runs the same command. A call that was allowed for s and has not
// been sent may go to its successor, but not to another place.
func (m *Manager) Successor(s *Server) (*Server, bool) {
	next, ok := m.Get(s.Name())
	if !ok || next == s || !next.spec.Enabled || !s.spec.reachesSame(next.spec) {
		return nil, false
	}
	return next, true
}

// Reopen closes all links to a server and connects again at once, for example after somebody has
// logged in. Running calls fail. Calls that wait for a link, or whose link is closed before they are
// sent, use a new one.
func (m *Manager) Reopen(name string) {
	s, ok := m.Get(name)
	if !ok {
		return
	}
	s.mu.Lock()
	s.reopens++
	links := slices.Collect(maps.Keys(s.every))
	s.mu.Unlock()
	for _, l := range links {
		l.reopened.Store(true)
		l.Close()
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// All returns the servers, by name.
func (m *Manager) All() []*Server {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]*Server, 0, len(m.servers))
	for _, s := range m.servers {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *Server) int { return strings.Compare(a.Name(), b.Name()) })
	return all
}

// Close ends every connection and every child process, and waits for them until the deadline of
// ctx.
func (m *Manager) Close(ctx context.Context) {
	m.mu.Lock()
	all := slices.AppendSeq(slices.Collect(maps.Values(m.servers)), maps.Keys(m.leaving))
	m.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range all {
		wg.Go(func() { s.close(ctx) })
	}
	wg.Wait()
}
