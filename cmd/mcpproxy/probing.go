package main

import (
	"net/url"

	"mcpproxy"
	"mcpproxy/internal/probe"
)

// prober is what the API needs of the daemon to run probes.
type prober struct{ d *daemon }

// Target is a configured server, directly or as agents reach it.
func (p prober) Target(name string, through bool) (probe.Target, bool) {
	c := p.d.config.Load()
	t, ok := configuredTarget(c, name)
	if !ok || !through {
		return t, ok
	}
	t = probe.Target{Name: name + ", through mcpproxy", URL: "http://" + p.d.address + "/mcp/s/" + url.PathEscape(name), Headers: map[string]string{}}
	if c.RequireMCPAuth {
		t.Headers["X-API-Key"] = c.APIKey
	}
	return t, true
}

// Configured reports whether a URL is that of a configured server.
func (p prober) Configured(address string) bool {
	for _, s := range p.d.config.Load().Servers {
		if s.URL != "" && s.URL == address {
			return true
		}
	}
	return false
}

// Recorded keeps a run in the activity log. What a server said is not in it, but
// for the reasons of failures, which are masked.
func (p prober) Recorded(r *probe.Results, by string, err error) string {
	failed := map[string]string{}
	for _, t := range r.Tests {
		if t.Outcome == probe.Failed {
			failed[t.ID] = t.Reason
		}
	}
	record := systemRecord(mcpproxy.RecordProbeRun, "", map[string]any{"target": r.Target, "passed": r.Passed, "partial": r.Partial,
		"summary": r.Totals, "failed": failed, "by": by})
	record.Source, record.DurationMS = "api", r.DurationMS
	if err != nil {
		record.Status, record.ErrorMessage = mcpproxy.StatusError, p.d.gate.Mask(err.Error())
	}
	p.d.log.Add(record)
	return record.ID
}
