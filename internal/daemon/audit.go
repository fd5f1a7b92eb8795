package daemon

import (
	"context"
	"log/slog"
	"time"

	"mcpproxy/internal/api"
	"mcpproxy/internal/audit"
	"mcpproxy/internal/flow"
)

// auditPath is the path of the auditor's tools.
const auditPath = "/mcp/audit"

// auditor answers the auditor's tools. Questions are recorded and belong to no agent's session.
type auditor struct {
	log      *activityLog
	flows    *flowSessions
	servers  *upstreams
	channels *channels
	mask     func(string) string // hides secrets
	policies policies
}

// open serves the auditor's tools next to the endpoints of agents.
func (a auditor) open() {
	book, err := audit.New(audit.Sources{
		Store:   a.log.masked(),
		Session: func(id string) (string, flow.Graph, bool) { return api.LiveSession(a.flows.sessions, id) },
		Now:     a.now,
		Suggest: a.suggest,
		Record:  a.log.monitor.Add,
		Mask:    a.mask,
	})
	if err != nil {
		slog.Error("the auditor's tools are not served", "error", err)
		return
	}
	a.channels.gateway.Open(auditPath, book)
}

// suggest derives policy changes from the log since a time.
func (a auditor) suggest(ctx context.Context, since time.Time) (any, error) {
	return api.Suggestions(ctx, a.log.masked(), a.policies, since)
}

// now returns the current state of the daemon.
func (a auditor) now() audit.Now {
	legs := api.CountLegs(a.flows.sessions)
	return audit.Now{
		Coverage: a.channels.hooks.Coverage(time.Now()).Mode,
		Sessions: legs.Sessions,
		Lethal:   legs.Lethal,
		All:      legs.All,
		Held:     a.servers.trust().Count().Held,
	}
}
