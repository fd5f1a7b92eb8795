// Package targets converts the servers of a configuration to targets of a probe, reached directly
// or through the running mcpproxy as agents reach them.
package targets

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"mcpproxy/internal/config"
	"mcpproxy/internal/probe"
	"mcpproxy/internal/probe/raw"
	"mcpproxy/internal/suggest"
	"mcpproxy/internal/upstream"
)

// Find returns the server of that name; ok is false if the configuration has none.
func Find(c *config.Config, name string) (server config.Server, ok bool) {
	for _, s := range c.Servers {
		if s.Name == name {
			return s, true
		}
	}
	return config.Server{}, false
}

// Unknown returns the error for a name that is neither a URL nor a server of c. It names the
// nearest server, and the way to probe a program.
func Unknown(c *config.Config, name string) error {
	var names []string
	for _, s := range c.Servers {
		names = append(names, s.Name)
	}
	hint := "the configuration has no servers"
	if near := suggest.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "?"
	} else if len(names) > 0 {
		hint = "there are " + strings.Join(names, ", ")
	}
	return fmt.Errorf(
		"%q is neither a URL nor a configured server (%s); for a program write: mcpproxy probe -- %s",
		name,
		hint,
		name,
	)
}

// Through returns a server as agents reach it: through the mcpproxy that listens on the
// base address. The key is sent if it is not empty. The error says that the server is disabled.
func Through(s config.Server, base, key string) (probe.Target, error) {
	if !s.IsEnabled() {
		return probe.Target{}, disabled(s)
	}
	t := probe.Target{
		Name:    s.Name + ", through mcpproxy",
		URL:     base + "/mcp/s/" + url.PathEscape(s.Name),
		Headers: map[string]string{},
	}
	if key != "" {
		t.Headers["X-API-Key"] = key
	}
	return t, nil
}

// Direct returns a server that the probe connects to itself. It returns an error for a disabled
// server, and for one with isolation, tls or proxy settings. Only mcpproxy's own connection applies
// these settings, so such a server must be probed through mcpproxy.
func Direct(s config.Server) (probe.Target, error) {
	var applied []string
	if s.Isolation != nil {
		applied = append(applied, "isolation")
	}
	if s.Proxy != "" {
		applied = append(applied, "proxy")
	}
	if s.TLS != nil {
		applied = append(applied, "tls")
	}
	switch {
	case !s.IsEnabled():
		return probe.Target{}, disabled(s)
	case len(applied) > 0:
		return probe.Target{}, fmt.Errorf(
			"%q has %s in the configuration, which a direct probe does not apply; "+
				"probe it through the running mcpproxy (through_proxy, --through-proxy)",
			s.Name,
			strings.Join(applied, " and "),
		)
	}
	t := probe.Target{
		Name:    s.Name,
		URL:     s.URL,
		Headers: cloned(s.Headers),
		Args:    slices.Clone(s.Args),
		Env:     cloned(s.Env),
		Dir:     s.WorkingDir,
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

// cloned returns a copy of m to which callers may add; it is never nil.
func cloned(m map[string]string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, m)
	return out
}

func disabled(s config.Server) error {
	return fmt.Errorf("%q is disabled in the configuration, so it is not started: set enabled to true first", s.Name)
}
