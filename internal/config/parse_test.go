package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpproxy/internal/config"
)

func parse(t *testing.T, file string) *config.Config {
	t.Helper()
	c, err := config.Parse("f.json", []byte(file), config.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func diffConfig(want, got *config.Config) string { return cmp.Diff(want, got, cmpopts.EquateEmpty()) }

func TestAnEmptyFileMeansTheDefaults(t *testing.T) {
	for name, file := range map[string]string{
		"no bytes":         "",
		"white space":      " \n\t",
		"an empty object":  "{}",
		"only a comment":   "// nothing\n",
		"a trailing comma": `{"api_key": "",}`,
	} {
		t.Run(name, func(t *testing.T) {
			if diff := diffConfig(config.Default(), parse(t, file)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The example in spec-027 is accepted unchanged. Without it, the defaults have the same values.
// Shows: config.
func TestTheExampleOfTheSpecHoldsTheDefaults(t *testing.T) {
	c, err := config.Parse("spec.json", []byte(`{
  "security": {
    "flow_tracking": {
      "enabled": true,
      "session_timeout_minutes": 30,
      "max_origins_per_session": 10000,
      "hash_min_length": 20,
      "max_response_hash_bytes": 65536
    },
    "classification": { "default_unknown": "internal", "server_overrides": {} },
    "flow_policy": {
      "internal_to_external": "ask",
      "sensitive_data_external": "deny",
      "require_justification": true,
      "suspicious_endpoints": ["webhook.site", "requestbin.com", "pipedream.net", "hookbin.com", "beeceptor.com"],
      "tool_overrides": {}
    },
    "hooks": { "enabled": true, "fail_open": true, "correlation_ttl_seconds": 5 }
  }
}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := c.Security
	want := config.Default().Security
	for _, host := range got.FlowPolicy.SuspiciousEndpoints {
		if !slices.Contains(want.FlowPolicy.SuspiciousEndpoints, host) {
			t.Errorf("%s is no collecting host by default", host)
		}
	}
	got.FlowPolicy.SuspiciousEndpoints = nil
	want.FlowPolicy.SuspiciousEndpoints = nil
	diff := cmp.Diff(want, got, cmpopts.EquateEmpty())
	if diff != "" {
		t.Error(diff)
	}
}

// The defaults are those in the product's documentation.
// Shows: RFC-34.
func TestTheDefaultsAreThePromisedOnes(t *testing.T) {
	c := config.Default()
	s := c.Security
	got := fmt.Sprintln(
		c.Listen,
		c.EnableSocket,
		c.RequireMCPAuth,
		c.Activity.RetentionDays,
		c.Activity.MaxRecords,
		c.Activity.MaxSizeMB,
		c.Activity.MaxResponseSize,
	) +
		fmt.Sprintln(
			s.FlowPolicy.InternalToExternal,
			s.FlowPolicy.SensitiveDataExternal,
			s.FlowPolicy.DeclaredDestination,
			s.FlowPolicy.UntrustedDestination,
			s.FlowPolicy.InjectedDestination,
			s.FlowPolicy.RequireJustification,
		) +
		fmt.Sprintln(
			s.FlowTracking.SessionTimeoutMinutes,
			s.FlowTracking.MaxOriginsPerSession,
			s.FlowTracking.HashMinLength,
			s.FlowTracking.MaxResponseHashBytes,
			s.ToolPolicy.Destructive,
			s.Classification.DefaultUnknown,
		) +
		fmt.Sprintln(
			s.RiskAssessment.AutoFlagThreshold,
			s.RiskAssessment.RequireApprovalThreshold,
			s.RiskAssessment.BlockOnCritical,
			s.PIIDetection.AutoRedactAfterDays,
			s.Hooks.CorrelationTTLSeconds,
			s.Hooks.ExplicitAllow,
			s.Hooks.AskFallback,
			s.KillSwitch,
		)
	want := "127.0.0.1:8080 true true 90 100000 256 65536\nask deny allow ask deny true\n30 10000 20 65536 ask internal\n70 85 false 30 5 false deny false\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestServersAreReadInBothForms(t *testing.T) {
	array := `{"mcpServers": [
	  {"name": "zeta", "command": "run", "args": ["-v", "12345678901234567890"], "env": {"A": "1"}, "working_dir": "/srv", "timeout_secs": 5},
	  {"name": "alpha", "url": "https://example.com/mcp", "headers": {"X": "y"}, "enabled": false},
	]}`
	object := `{"mcpServers": {
	  "zeta": {"command": "run", "args": ["-v", "12345678901234567890"], "env": {"A": "1"}, "working_dir": "/srv", "timeout_secs": 5},
	  "alpha": {"url": "https://example.com/mcp", "headers": {"X": "y"}, "enabled": false},
	}}`
	a, o := parse(t, array), parse(t, object)
	if diff := diffConfig(a, o); diff != "" {
		t.Errorf("array and object form differ:\n%s", diff)
	}
	off := false
	want := config.Servers{
		{
			Name:        "zeta",
			Command:     "run",
			Args:        []string{"-v", "12345678901234567890"},
			Env:         map[string]string{"A": "1"},
			WorkingDir:  "/srv",
			TimeoutSecs: 5,
			Protocol:    "stdio",
		},
		{
			Name:     "alpha",
			URL:      "https://example.com/mcp",
			Headers:  map[string]string{"X": "y"},
			Enabled:  &off,
			Protocol: "http",
		}}
	if diff := cmp.Diff(want, a.Servers); diff != "" {
		t.Errorf("the servers, in the file's order:\n%s", diff)
	}
	if !a.Servers[0].IsEnabled() || a.Servers[1].IsEnabled() {
		t.Error("a server without the key enabled counts as off, or one with false as on")
	}
}

func TestTheProtocolFollowsFromTheOtherKeys(t *testing.T) {
	for name, c := range map[string]struct{ server, want string }{
		"a command is stdio":             {`"command": "x"`, "stdio"},
		"a url is HTTP":                  {`"url": "http://h/"`, "http"},
		"sse must be said":               {`"url": "http://h/", "protocol": "sse"`, "sse"},
		"type is another word for it":    {`"url": "http://h/", "type": "sse"`, "sse"},
		"Cursor's name for HTTP":         {`"url": "http://h/", "type": "streamable-http"`, "http"},
		"Cline's name for HTTP":          {`"url": "http://h/", "type": "streamableHttp"`, "http"},
		"stdio, said to be so":           {`"command": "x", "type": "stdio"`, "stdio"},
		"stdio with a url is refused":    {`"url": "http://h/", "protocol": "stdio"`, ""},
		"a command over HTTP is refused": {`"command": "x", "protocol": "http"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := config.Parse("f.json", []byte(`{"mcpServers": {"a": {`+c.server+`}}}`), nil)
			if c.want == "" {
				if err == nil {
					t.Fatal("accepted")
				}
				return
			}
			if err != nil || got.Servers[0].Protocol != c.want {
				t.Fatalf("got %+v, %v; want %s", got, err, c.want)
			}
		})
	}
}

func TestReferencesAreResolvedInAnyString(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("T_HOST", "db.example")
	t.Setenv("T_POLICY", "warn")
	t.Setenv("T_NESTED", "${env:T_HOST}")
	c := parse(t, `{"api_key": "${file:`+file+`}", "mcpServers": [{"name": "a", "command": "run",
		"args": ["--host=${env:T_HOST}:${env:T_HOST}", "$HOME", "${T_HOST}"], "env": {"N": "${env:T_NESTED}"}},
		{"name": "b", "url": "https://b.example", "oauth": {"client_id": "x", "client_secret": "${env:T_HOST}"}}],
		"security": {"flow_policy": {"suspicious_endpoints": ["${env:T_HOST}"]}}}`)
	s := c.Servers[0]
	for name, got := range map[string][2]string{
		"a file, without its last newline":   {c.APIKey, "from a file"},
		"two variables in one string":        {s.Args[0], "--host=db.example:db.example"},
		"a shell's own spelling is left":     {s.Args[1] + s.Args[2], "$HOME${T_HOST}"},
		"a value is not read for references": {s.Env["N"], "${env:T_HOST}"},
		"a string in an optional section":    {c.Servers[1].OAuth.ClientSecret, "db.example"},
		"a string in a list":                 {c.Security.FlowPolicy.SuspiciousEndpoints[0], "db.example"},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %q, want %q", name, got[0], got[1])
		}
	}
	c, err := config.Parse(
		"f.json",
		[]byte(`{"security": {"tool_policy": {"write": "${env:T_POLICY}"}}}`),
		config.Lookup,
	)
	if err != nil || c.Security.ToolPolicy.Write != "warn" {
		t.Errorf("a reference in an enumerated string: %v", err)
	}
}

func TestABadReferenceNamesItselfAndItsLine(t *testing.T) {
	for name, c := range map[string]struct {
		ref  string
		says string
	}{
		"a variable that is not set":   {"${env:MCPPROXY_NOT_SET_ANYWHERE}", "MCPPROXY_NOT_SET_ANYWHERE"},
		"a file that is not there":     {"${file:/nonexistent/token}", "/nonexistent/token"},
		"a kind that does not exist":   {"${evn:TOKEN}", "evn"},
		"a reference without a name":   {"${env:}", "env"},
		"one good and one bad in line": {"${env:PATH}${env:MCPPROXY_NOT_SET_ANYWHERE}", "MCPPROXY_NOT_SET_ANYWHERE"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Parse(
				"f.json",
				[]byte(
					"{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\",\n      \"env\": {\"T\": \""+c.ref+"\"}}\n  }\n}",
				),
				config.Lookup,
			)
			if err == nil {
				t.Fatal("accepted: the server would get the reference itself")
			}
			for _, want := range []string{"f.json:4:", c.says, "mcpServers.a.env.T"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not say %q: %v", want, err)
				}
			}
		})
	}
}

func TestWithoutALookupReferencesStay(t *testing.T) {
	c, err := config.Parse("f.json", []byte(`{"api_key": "${env:NOT_SET_ANYWHERE}"}`), nil)
	if err != nil || c.APIKey != "${env:NOT_SET_ANYWHERE}" {
		t.Errorf("got %q, %v", c.APIKey, err)
	}
}

func TestPathsFollowDataDirAndEnvironment(t *testing.T) {
	c := parse(t, `{"data_dir": "/srv/mcpproxy"}`)
	t.Setenv("MCPPROXY_SOCKET", "")
	if c.SocketPath() != "/srv/mcpproxy/mcpproxy.sock" || c.LogPath() != "/srv/mcpproxy/activity.db" {
		t.Errorf("socket %s, log %s", c.SocketPath(), c.LogPath())
	}
	t.Setenv("MCPPROXY_SOCKET", "/run/x.sock")
	t.Setenv("MCPPROXY_CONFIG", "/etc/m.json")
	if c.SocketPath() != "/run/x.sock" || config.DefaultPath() != "/etc/m.json" {
		t.Errorf("the environment does not win: %s, %s", c.SocketPath(), config.DefaultPath())
	}
	t.Setenv("MCPPROXY_CONFIG", "")
	t.Setenv("HOME", "/home/someone")
	if got := config.DefaultPath(); got != "/home/someone/.mcpproxy/mcp_config.json" {
		t.Errorf("the default is %s", got)
	}
}
