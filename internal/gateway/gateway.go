package gateway

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mcpproxy/internal/auth"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/peer"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// Options are the settings of the gateway. They change when the configuration is reloaded.
type Options struct {
	Listen      string // host:port of the TCP listener; the host is accepted as a Host header
	APIKey      string
	RequireAuth bool // require_mcp_auth: /mcp also requires the key
	Trace       bool // spans of calls are exported, so servers may use them as parents
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
	// correlator links calls to agents' hook sessions. It may be nil.
	correlator *flow.Correlator
	filter     DefinitionFilter
	auth       *auth.Authenticator
	peers      *peer.Registry
	scripts    Scripts // nil if code mode is not available
	router     Router  // nil if there is only one replica
	options    atomic.Pointer[Options]
	own        map[string]endpoint      // own endpoints by path
	audits     map[string]*auditToolset // those of own that only the owner and auditors may use
	stop       chan struct{}

	pages    pageStore    // what remains of long results
	draining atomic.Bool  // no call may begin any more
	underWay atomic.Int64 // calls that run

	mu        sync.Mutex
	sessions  map[string]*session
	suspended map[string]*suspended
	listeners map[*subscription]bool
	byServer  map[string]endpoint // endpoints of servers by server name
}

// New returns a gateway. links connects calls with the hook sessions of agents; it is nil without
// hooks.
func New(g *gate.Gate, servers *upstream.Manager, c *catalog.Catalog, links *flow.Correlator, o Options) *Gateway {
	gw := &Gateway{
		gate:       g,
		servers:    servers,
		catalog:    c,
		correlator: links,
		filter:     showAll{},
		stop:       make(chan struct{}),
		sessions:   map[string]*session{},
		suspended:  map[string]*suspended{},
		listeners:  map[*subscription]bool{},
		byServer:   map[string]endpoint{},
		audits:     map[string]*auditToolset{},
	}
	gw.auth = auth.New(func() string { return gw.options.Load().APIKey }, nil)
	gw.own = map[string]endpoint{finderPath: newToolFinder(gw), "/mcp/all": newEverything(gw)}
	gw.Configure(o)
	go gw.sweep()
	return gw
}

// Configure sets the options for later requests.
func (g *Gateway) Configure(o Options) { g.options.Store(&o) }

// endpoint answers the messages that clients send to one path.
type endpoint interface {
	// handle answers one request.
	handle(ctx context.Context, c *caller, m *wire.Message) *wire.Message
	// notified handles a notification.
	notified(ctx context.Context, c *caller, m *wire.Message)
	// names returns the server and the tool of a tool call, given the called name and the name in
	// its arguments.
	names(name, inner string) (server, tool string)
}

// endpoint returns the endpoint that serves a path.
func (g *Gateway) endpoint(path string) (endpoint, bool) {
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
	t, ok := g.byServer[name]
	if !ok {
		t = &serverEndpoint{g: g, server: name}
		g.byServer[name] = t
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

// sweep ends sessions that have been idle for too long.
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

// SessionCount returns the number of open sessions of the stateful era.
func (g *Gateway) SessionCount() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.sessions)
}
