package daemon

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
	"mcpproxy/internal/probe"
	"mcpproxy/internal/probe/raw"
	"mcpproxy/internal/upstream"
)

// prober is what the API needs of the daemon to run probes.
type prober struct {
	config  func() *config.Config
	address string              // where agents reach the daemon
	mask    func(string) string // hides secrets
	log     *monitor
}

// Target is a configured server, directly or as agents reach it.
func (p prober) Target(name string, through bool) (probe.Target, error) {
	c := p.config()
	s, ok := ConfiguredServer(c, name)
	switch {
	case !ok:
		return probe.Target{}, api.ErrNoServer
	case !through:
		return DirectTarget(s)
	case !s.IsEnabled():
		return probe.Target{}, ErrDisabled(name)
	}
	t := probe.Target{
		Name:    name + ", through mcpproxy",
		URL:     "http://" + p.address + "/mcp/s/" + url.PathEscape(name),
		Headers: map[string]string{},
	}
	if c.RequireMCPAuth {
		t.Headers["X-API-Key"] = c.APIKey
	}
	return t, nil
}

// ConfiguredServer is a server of the configuration.
func ConfiguredServer(c *config.Config, name string) (config.Server, bool) {
	for _, s := range c.Servers {
		if s.Name == name {
			return s, true
		}
	}
	return config.Server{}, false
}

// DirectTarget is a configured server as a target that a probe reaches by itself.
// What the configuration says about its confinement and its connection only the
// proxy's own connection keeps to: such a server is probed through it.
func DirectTarget(s config.Server) (probe.Target, error) {
	var own []string
	for key, set := range map[string]bool{"isolation": s.Isolation != nil, "tls": s.TLS != nil, "proxy": s.Proxy != ""} {
		if set {
			own = append(own, key)
		}
	}
	slices.Sort(own)
	switch {
	case !s.IsEnabled():
		return probe.Target{}, ErrDisabled(s.Name)
	case len(own) > 0:
		return probe.Target{}, fmt.Errorf(
			"%q has %s in the configuration, which a direct probe would not keep to: probe it through the running mcpproxy (through_proxy, --through-proxy)",
			s.Name,
			strings.Join(own, " and "),
		)
	}
	t := probe.Target{
		Name:    s.Name,
		URL:     s.URL,
		Headers: maps.Clone(s.Headers),
		Args:    s.Args,
		Env:     maps.Clone(s.Env),
		Dir:     s.WorkingDir,
	}
	if t.Headers == nil {
		t.Headers = map[string]string{}
	}
	if t.Env == nil {
		t.Env = map[string]string{}
	}
	if s.Protocol == raw.OverSSE {
		t.Transport = raw.OverSSE
	}
	if s.Command == "" {
		return t, nil
	}
	var err error
	t.Command, err = upstream.Program(upstream.Spec{Command: s.Command, Env: s.Env, Dir: s.WorkingDir})
	return t, err
}

// ErrDisabled returns the error of a probe of a server that is turned off.
func ErrDisabled(name string) error {
	return fmt.Errorf("%q is disabled in the configuration, so it is not started: set enabled to true first", name)
}

// Configured reports whether a URL is that of a configured server.
func (p prober) Configured(address string) bool {
	for _, s := range p.config().Servers {
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
