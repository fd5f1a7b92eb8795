package main

import (
	"context"
	"log/slog"
	"time"

	"mcpproxy"
	"mcpproxy/internal/config"
	hookeval "mcpproxy/internal/hook/evaluate"
	"mcpproxy/internal/ledger"
)

// hookSettings is what configuration means to the hooks.
func hookSettings(c *config.Config) hookeval.Settings {
	h := c.Security.Hooks
	return hookeval.Settings{Enabled: h.Enabled, FailOpen: h.FailOpen, ExplicitAllow: h.ExplicitAllow, AskFallback: h.AskFallback}
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
