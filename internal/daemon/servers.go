package daemon

import (
	"context"
	"log/slog"
	"sync"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
	"mcpproxy/internal/gateway"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// serverStates remembers which state of each server was recorded last. Its zero value
// remembers none.
type serverStates struct {
	mu   sync.Mutex
	last map[string]upstream.State
}

// news reports whether a state is to be recorded, and remembers it then: another one than
// the last, and not that the server is being connected.
func (s *serverStates) news(st upstream.Status) bool {
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

// forgetServers takes the tools of removed and disabled servers off the list.
func (d *Daemon) forgetServers(c *config.Config) {
	here := map[string]bool{}
	for _, s := range c.Servers {
		here[s.Name] = s.IsEnabled()
	}
	changed := false
	for _, t := range d.Catalog.All() {
		if !here[t.Server] {
			d.Catalog.Drop(t.Server)
			changed = true
		}
	}
	for _, i := range d.trust.Items("") {
		if !here[i.Server] {
			d.intake.Forget(i.Server)
		}
	}
	if changed {
		d.gateway.ToolsChanged()
	}
}

// serverChanged hears of a server's new state.
func (d *Daemon) serverChanged(s *upstream.Server) {
	st := api.Masked(s.Status(), d.shown)
	d.events.Publish("servers.changed", st)
	if d.states.news(st) {
		level := slog.LevelInfo
		if st.State == upstream.Failed {
			level = slog.LevelWarn
		}
		slog.Log(context.Background(), level, "server "+string(st.State), "server", st.Name, "error", st.Error)
		d.record(mcpproxy.RecordServerChange, st.Name, map[string]any{"state": st.State, "error": st.Error})
	}
	if st.State == upstream.Ready {
		d.intake.Refresh(s)
	}
}

// serverSaid hears what a server says for no call in particular.
func (d *Daemon) serverSaid(s *upstream.Server, m *wire.Message) {
	if gateway.Declares(m) {
		d.intake.Refresh(s)
	}
	d.gateway.Heard(s.Name(), m)
}
