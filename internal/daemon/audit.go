package daemon

import (
	"context"
	"log/slog"
	"time"

	"mcpproxy/internal/api"
	"mcpproxy/internal/audit"
	"mcpproxy/internal/flow"
)

// auditPath is where the auditor's tools are served.
const auditPath = "/mcp/audit"

// suggest derives changes of the policy from the log since a time.
func (d *Daemon) suggest(ctx context.Context, since time.Time) (any, error) {
	return api.Suggestions(ctx, d.Store, policies{d}, since)
}

// openAudit serves the auditor's tools. What they are asked is recorded, and
// belongs to no agent's session.
func (d *Daemon) openAudit() {
	book, err := audit.New(audit.Sources{
		Store:   d.Store,
		Session: func(id string) (string, flow.Graph, bool) { return api.LiveSession(d.flows.sessions, id) },
		Now:     d.auditNow,
		Suggest: d.suggest,
		Record:  d.log.Add,
		Mask:    d.gate.Mask,
	})
	if err != nil {
		slog.Error("the auditor's tools are not served", "error", err)
		return
	}
	d.gateway.Open(auditPath, book)
}

// auditNow is what is so at the moment, for an auditor.
func (d *Daemon) auditNow() audit.Now {
	legs := api.CountLegs(d.flows.sessions)
	return audit.Now{
		Coverage: d.hooks.Coverage(time.Now()).Mode,
		Sessions: legs.Sessions,
		Lethal:   legs.Lethal,
		All:      legs.All,
		Held:     d.trust.Count().Held,
	}
}
