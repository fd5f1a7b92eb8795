package api

import (
	"context"
	"time"

	"mcpproxy"
	"mcpproxy/internal/alert"
	"mcpproxy/internal/hook/evaluate"
	"mcpproxy/internal/telemetry"
	"mcpproxy/internal/trust"
	"mcpproxy/internal/upstream"
)

// Overview is what GET /status says.
type Overview struct {
	Version  string               `json:"version"`
	Started  time.Time            `json:"started"`
	Uptime   float64              `json:"uptime_seconds"`
	Listen   string               `json:"listen"`
	Coverage mcpproxy.Coverage    `json:"security_coverage" doc:"proxy_only, or full when agent hooks are active"`
	Hooks    bool                 `json:"hooks_active"`
	Agents   []evaluate.AgentSeen `json:"agents" doc:"The agents whose hooks are active"`
	Kill     KillState            `json:"kill_switch"`
	Waiting  int                  `json:"approvals_pending" doc:"Questions about calls that wait for an answer"`
	Servers  []upstream.Status    `json:"servers"`
	Tools    int                  `json:"tools" doc:"Tools that agents can find and call"`
	Trust    trust.Tally          `json:"trust" doc:"Where what the servers declare stands"`
	Clients  int                  `json:"mcp_sessions"`
	Sessions int                  `json:"flow_sessions"`
	Legs     LegCounts            `json:"flow_legs"`
	Records  int                  `json:"records"`
	Readers  int                  `json:"event_readers" doc:"Open streams of /events"`
	Alerts   *alert.Webhook       `json:"alerts,omitempty" doc:"What became of alerts to the webhook"`
	Exports  []telemetry.Target   `json:"exports,omitempty" doc:"What became of records for collectors and syslog"`
}

func (s *server) status(ctx context.Context, _ *struct{}) (*answer[Overview], error) {
	records, err := s.Store.Count(ctx, allRecords)
	if err != nil {
		return nil, newError(500, "the activity log cannot be read", err)
	}
	readers, _ := s.Events.Readers()
	covered := s.Hooks.Coverage(time.Now())
	o := Overview{Version: s.Version, Started: s.started.UTC(), Uptime: time.Since(s.started).Seconds(), Listen: s.Listen,
		Coverage: covered.Mode, Hooks: covered.Active, Agents: covered.Agents, Kill: s.Kill.State(), Waiting: len(s.Approvals.Pending()), Servers: s.statuses(), Tools: len(s.Catalog.All()), Trust: s.Trust.Count(),
		Clients: s.Clients(), Sessions: len(s.liveSessions()), Legs: s.legs(), Records: records, Readers: readers}
	if s.Alerts != nil {
		stats := s.Alerts()
		o.Alerts = &stats
	}
	if s.Exports != nil {
		o.Exports = s.Exports()
	}
	return success(o)
}

func (s *server) statuses() []upstream.Status {
	out := []upstream.Status{}
	for _, server := range s.Servers.All() {
		out = append(out, server.Status())
	}
	return out
}
