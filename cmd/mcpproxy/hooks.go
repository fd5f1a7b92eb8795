package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"mcpproxy"
	"mcpproxy/internal/config"
	hookeval "mcpproxy/internal/hook/evaluate"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/settings"
)

// hookSettings is what configuration means to the hooks.
func hookSettings(c *config.Config) hookeval.Settings {
	h := c.Security.Hooks
	return hookeval.Settings{Enabled: h.Enabled, FailOpen: h.FailOpen, ExplicitAllow: h.ExplicitAllow, AskFallback: h.AskFallback}
}

// hookBackups is the folder that knows which settings of agents have hooks.
func hookBackups(c *config.Config) string { return filepath.Join(c.DataDir, "hook-backups") }

// hookedLook is how often it is looked whether that has changed.
const hookedLook = 2 * time.Second

// agentFiles are the settings of agents that have them watched, or connected to this
// proxy.
func agentFiles(c *config.Config) []string {
	return append(settings.Files(hookBackups(c)), settings.Files(connectBackups(c))...)
}

// keepHooks keeps agents from changing settings that have them watched or connected,
// soon after that was done. The folders come and go, so they are read, not watched.
func (d *daemon) keepHooks(ctx context.Context) {
	c := d.config.Load() // the data folder is another after a restart only
	known := agentFiles(c)
	tick := time.NewTicker(hookedLook)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if now := agentFiles(c); !slices.Equal(now, known) && d.guardAnew() {
				known = now
			}
		}
	}
}

// guardAnew has the gate look up what agents must not change.
func (d *daemon) guardAnew() bool {
	d.reloading.Lock()
	defer d.reloading.Unlock()
	c := d.config.Load()
	detector, err := detectorFor(c)
	if err != nil || d.closing {
		return false
	}
	d.configureGate(c, detector)
	return true
}

// serverNames are the configured servers, and this proxy under its usual name.
func (d *daemon) serverNames() []string {
	names := []string{"mcpproxy"}
	for _, s := range d.config.Load().Servers {
		names = append(names, s.Name)
	}
	return names
}

// maxResumed bounds the evaluations of the last run that are looked at.
const maxResumed = 1000

// resumeHooks takes up whose hooks were active before a restart.
func (d *daemon) resumeHooks(ctx context.Context) {
	q := ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordHookEvaluation}, Start: time.Now().Add(-hookeval.Window), Limit: maxResumed}
	err := d.store.Scan(ctx, q, func(r *mcpproxy.Record) error {
		if agent, ok := r.Metadata.Detail["agent"].(string); ok {
			d.hooks.Seen(agent, r.SessionID, r.Timestamp)
		}
		return nil
	})
	if err != nil {
		slog.Warn("the hooks of the last run could not be read", "error", err)
	}
}
