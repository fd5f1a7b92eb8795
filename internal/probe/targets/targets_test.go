package targets_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy/internal/config"
	"mcpproxy/internal/probe/targets"
)

// A probe applies the server's settings from the configuration.
func TestAProbeAppliesTheServersConfiguration(t *testing.T) {
	open := filepath.Join(t.TempDir(), "server")
	if err := os.WriteFile(open, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	yes, no := true, false
	for name, c := range map[string]struct {
		server config.Server
		want   string // part of the error; "" if there is no error
	}{
		"nothing in particular":       {config.Server{Command: "sh"}, ""},
		"enabled":                     {config.Server{URL: "https://x.example/mcp", Enabled: &yes}, ""},
		"disabled":                    {config.Server{Command: "sh", Enabled: &no}, "set enabled to true"},
		"confined":                    {config.Server{Command: "sh", Isolation: &config.Isolation{Required: true}}, "isolation"},
		"tls of its own":              {config.Server{URL: "https://x.example/mcp", TLS: &config.TLS{}}, "tls"},
		"behind a proxy":              {config.Server{URL: "https://x.example/mcp", TLS: &config.TLS{}, Proxy: "http://p.example"}, "proxy and tls"},
		"a program that others write": {config.Server{Command: open}, "chmod o-w"},
		"a program that is not there": {config.Server{Command: "no-such-program-here"}, "not found"},
	} {
		c.server.Name = "x"
		got, err := targets.Direct(c.server)
		switch {
		case c.want == "" && (err != nil || got.Check() != nil || got.Command != "" && !filepath.IsAbs(got.Command)):
			t.Errorf("%s: %v, %+v", name, err, got)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAProbedServersSettingsAreNotChanged(t *testing.T) {
	s := config.Server{Name: "x", URL: "https://x.example/mcp", Headers: map[string]string{"A": "1"}}
	got, err := targets.Direct(s)
	if err != nil {
		t.Fatal(err)
	}
	if got.Headers["B"], got.Env["C"] = "2", "3"; len(s.Headers) != 1 || s.Env != nil {
		t.Errorf("%+v", s)
	}
}
