package gateway

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mcpproxy/internal/catalog"
	"mcpproxy/internal/door"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// Options are what configuration says about the gateway; they change on reload.
type Options struct {
	Listen      string // host:port of the TCP listener; its host is a valid Host header
	APIKey      string
	RequireAuth bool // require_mcp_auth: /mcp wants the key too
	Trace       bool // spans of calls are exported, so servers may take them for parents
}

// maxRequest is the largest request body accepted, in bytes.
const maxRequest = 16 << 20

// sessionIdle is how long a session may stay unused.
const sessionIdle = time.Hour

// Gateway serves MCP to agents.
type Gateway struct {
	gate    *gate.Gate
	servers *upstream.Manager
	catalog *catalog.Catalog
	// correlator links calls to agents' hook sessions; it may be nil.
	correlator *flow.Correlator
	screen     Screen
	door       *door.Door
	scripts    Scripts // nil where no scripts are run
	options    atomic.Pointer[Options]
	own        map[string]target   // by path
	books      map[string]*reading // of these, those that not everybody may read
	stop       chan struct{}

	draining atomic.Bool  // no call may begin any more
	underWay atomic.Int64 // calls that run

	mu        sync.Mutex
	sessions  map[string]*session
	suspended map[string]*suspended
	listeners map[*subscription]bool
	passing   map[string]target // by server
}

// New returns a gateway. Calls are linked to agents' hook sessions by links, which
// is nil where there are no hooks.
func New(g *gate.Gate, servers *upstream.Manager, c *catalog.Catalog, links *flow.Correlator, o Options) *Gateway {
	gw := &Gateway{gate: g, servers: servers, catalog: c, correlator: links, screen: open{}, stop: make(chan struct{}), sessions: map[string]*session{},
		suspended: map[string]*suspended{}, listeners: map[*subscription]bool{}, passing: map[string]target{}, books: map[string]*reading{}}
	gw.door = door.New(func() string { return gw.options.Load().APIKey }, nil)
	gw.own = map[string]target{"/mcp": newFinder(gw), "/mcp/all": newEverything(gw)}
	gw.Configure(o)
	go gw.sweep()
	return gw
}

// Configure changes how requests to come are admitted.
func (g *Gateway) Configure(o Options) { g.options.Store(&o) }

// target answers what clients send to one endpoint.
type target interface {
	// handle answers one request.
	handle(ctx context.Context, c *caller, m *wire.Message) *wire.Message
	// notified takes a notification.
	notified(ctx context.Context, c *caller, m *wire.Message)
	// ended frees what the target keeps for a session.
	ended(s *session)
}

// target finds what serves a path.
func (g *Gateway) target(path string) (target, bool) {
	path = strings.TrimSuffix(path, "/")
	if t, ok := g.own[path]; ok {
		return t, true
	}
	name, ok := strings.CutPrefix(path, "/mcp/s/")
	if !ok {
		return nil, false
	}
	if _, ok := g.servers.Get(name); !ok {
		return nil, false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	t, ok := g.passing[name]
	if !ok {
		t = &passthrough{g: g, server: name}
		g.passing[name] = t
	}
	return t, true
}

// Close ends every session.
func (g *Gateway) Close() {
	close(g.stop)
	g.mu.Lock()
	var all []*session
	for _, s := range g.sessions {
		all = append(all, s)
	}
	g.mu.Unlock()
	for _, s := range all {
		g.endSession(s)
	}
}

// sweep ends sessions that nobody has used for long.
func (g *Gateway) sweep() {
	tick := time.NewTicker(sessionIdle / 10)
	defer tick.Stop()
	for {
		select {
		case <-g.stop:
			return
		case now := <-tick.C:
			g.mu.Lock()
			var idle []*session
			for _, s := range g.sessions {
				if s.idleSince(now.Add(-sessionIdle)) {
					idle = append(idle, s)
				}
			}
			g.mu.Unlock()
			for _, s := range idle {
				g.endSession(s)
			}
		}
	}
}

// SessionCount is the number of live sessions of the stateful era.
func (g *Gateway) SessionCount() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.sessions)
}
