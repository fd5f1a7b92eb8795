package daemon

import (
	"context"
	"log/slog"
	"sync"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/gateway"
	"mcpproxy/internal/text"
	"mcpproxy/internal/trust"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// upstreams holds the servers behind the proxy: their connections, logins, and the definitions that
// agents may see.
type upstreams struct {
	manager  *upstream.Manager
	accounts *accounts // accounts at authorization servers
	catalog  *catalog.Catalog
	intake   *intake.Intake
	states   serverStates
	deps     upstreamDeps
}

// upstreamDeps are what the servers need from the rest of the daemon. The functions are called only
// after the daemon is wired.
type upstreamDeps struct {
	log     *activityLog
	events  *api.Events
	secrets func(*text.Document) ([]mcpproxy.Signal, error) // finds secrets in a definition
	mask    func(string) string                             // masks secrets in definitions
	shown   func(string) string                             // masks secrets in texts for people
	address func() string                                   // of mcpproxy's own listener

	toolsChanged func()                               // called after the catalogue's tools have changed
	declared     func(server string)                  // called after a server's definitions have changed
	heard        func(server string, m *wire.Message) // called with a server's messages that belong to no call
}

// openUpstreams opens the approvals of definitions. No server is connected before the first call of
// apply. Ctx is the daemon's life.
func openUpstreams(ctx context.Context, c *config.Config, deps upstreamDeps) (*upstreams, error) {
	u := &upstreams{catalog: catalog.New(), deps: deps}
	u.manager = upstream.NewManager(u.changed, u.said)
	u.accounts = newAccounts(ctx, c, u.manager)
	var err error
	u.intake, err = intake.Open(c.DataDir, trustRules(c), intake.Deps{
		Catalog:      u.catalog,
		Heads:        deps.log.store.Heads(), // the heads record what the file contained
		Servers:      func() *upstream.Manager { return u.manager },
		Secrets:      deps.secrets,
		Mask:         deps.mask,
		NewRecord:    SystemRecord,
		Add:          deps.log.monitor.Add,
		Tell:         deps.log.monitor.publishRecord,
		ToolsChanged: deps.toolsChanged,
		Declared:     deps.declared,
	})
	if err == nil {
		newNetwork(deps.log.monitor, deps.shown, deps.address).watch(u.manager)
		u.manager.Started(u.intake.Started)
	}
	return u, err
}

// trust returns the approvals of definitions.
func (u *upstreams) trust() *trust.Store { return u.intake.Store() }

// apply connects the servers of a configuration and disconnects removed ones. Path is the path of
// the configuration file.
func (u *upstreams) apply(c *config.Config, path string) {
	u.manager.Apply(u.accounts.sign(c, Specs(c, path)))
}

// forgetGone removes the tools of removed and disabled servers from the list.
func (u *upstreams) forgetGone(c *config.Config) {
	here := map[string]bool{}
	for _, s := range c.Servers {
		here[s.Name] = s.IsEnabled()
	}
	changed := false
	for _, t := range u.catalog.All() {
		if !here[t.Server] {
			u.catalog.Drop(t.Server)
			changed = true
		}
	}
	for _, i := range u.trust().Items("") {
		if !here[i.Server] {
			u.intake.Forget(i.Server)
		}
	}
	if changed {
		u.deps.toolsChanged()
	}
}

// changed is called with a server's new state.
func (u *upstreams) changed(s *upstream.Server) {
	st := api.Masked(s.Status(), u.deps.shown)
	u.deps.events.Publish("servers.changed", st)
	if u.states.mustRecord(st) {
		level := slog.LevelInfo
		if st.State == upstream.Failed {
			level = slog.LevelWarn
		}
		slog.Log(context.Background(), level, "server "+string(st.State), "server", st.Name, "error", st.Error)
		detail := map[string]any{"state": st.State, "error": st.Error}
		u.deps.log.monitor.record(mcpproxy.RecordServerChange, st.Name, detail)
	}
	if st.State == upstream.Ready {
		u.intake.Refresh(s)
	}
}

// said is called with a server's messages that belong to no call.
func (u *upstreams) said(s *upstream.Server, m *wire.Message) {
	if gateway.Declares(m) {
		u.intake.Refresh(s)
	}
	u.deps.heard(s.Name(), m)
}

// has reports whether a server is configured, so that its name may be a metric label.
func (u *upstreams) has(name string) bool {
	_, ok := u.manager.Get(name)
	return ok
}

// hasTool reports whether a server declares a tool, and agents see it.
func (u *upstreams) hasTool(server, name string) bool {
	_, ok := u.catalog.Tool(server, name)
	return ok
}

// serverStates remembers the last recorded state of each server. Its zero value is ready to use.
type serverStates struct {
	mu   sync.Mutex
	last map[string]upstream.State
}

// mustRecord reports whether a state must be recorded, and remembers it. It must be recorded if it
// differs from the last one and is not "connecting".
func (s *serverStates) mustRecord(st upstream.Status) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st.State == upstream.Connecting || s.last[st.Name] == st.State {
		return false
	}
	if s.last == nil {
		s.last = map[string]upstream.State{}
	}
	s.last[st.Name] = st.State
	return true
}

// trustRules returns the rules for package trust.
func trustRules(c *config.Config) trust.Rules {
	q := c.Security.ToolQuarantine
	return trust.Rules{
		Enabled:          q.Enabled,
		QuarantineNew:    q.AutoQuarantineNewTools,
		RugPull:          q.RugPullDetection,
		QuarantineServer: q.QuarantineServerOnRugPull,
		Program:          trust.OnProgramChange(q.ProgramChange),
	}
}
