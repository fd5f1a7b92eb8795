package daemon

import (
	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
	"mcpproxy/internal/probe"
	"mcpproxy/internal/probe/targets"
)

// prober implements probes for the API.
type prober struct {
	config func() *config.Config
	base   string              // address at which agents reach the daemon
	mask   func(string) string // hides secrets
	log    *monitor
}

// Target returns a configured server, directly or as agents reach it.
func (p prober) Target(name string, through bool) (probe.Target, error) {
	c := p.config()
	s, ok := targets.Find(c, name)
	switch {
	case !ok:
		return probe.Target{}, api.ErrNoServer
	case !through:
		return targets.Direct(s)
	case !c.RequireMCPAuth:
		return targets.Through(s, p.base, "")
	}
	return targets.Through(s, p.base, c.APIKey)
}

// Configured reports whether a URL belongs to a configured server.
func (p prober) Configured(address string) bool {
	for _, s := range p.config().Servers {
		if s.URL != "" && s.URL == address {
			return true
		}
	}
	return false
}

// Recorded records a run in the activity log. The record does not contain the server's answers,
// except masked reasons of failures.
func (p prober) Recorded(r *probe.Results, by string, err error) string {
	failed := map[string]string{}
	for _, t := range r.Tests {
		if t.Outcome == probe.Failed {
			failed[t.ID] = t.Reason
		}
	}
	record := SystemRecord(mcpproxy.RecordProbeRun, "", map[string]any{
		"target":  r.Target,
		"passed":  r.Passed,
		"partial": r.Partial,
		"summary": r.Totals,
		"failed":  failed,
		"by":      by,
	})
	record.Source, record.DurationMS = "api", r.DurationMS
	if err != nil {
		record.Status, record.ErrorMessage = mcpproxy.StatusError, p.mask(err.Error())
	}
	p.log.Add(record)
	return record.ID
}
