package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/bundle"
)

// leaves returns the names of all keys of the configuration that hold values.
func leaves() []string {
	var out []string
	var walk func(t reflect.Type, at string)
	walk = func(t reflect.Type, at string) {
		if t.Kind() != reflect.Struct {
			out = append(out, at)
			return
		}
		for f := range t.Fields() {
			if name := key(f); name != "-" && name != "" {
				walk(f.Type, strings.TrimPrefix(at+"."+name, "."))
			}
		}
	}
	walk(reflect.TypeFor[Config](), "")
	return out
}

func TestEveryKeyOfTheConfigurationIsInTheTableOfBundles(t *testing.T) {
	var known []string
	for _, k := range bundle.Keys() {
		known = append(known, k.Name)
	}
	for _, name := range leaves() {
		if !slices.Contains(known, name) {
			t.Errorf("may a bundle have %s, and which value is the stricter one? Name it in bundle.Keys", name)
		}
	}
	for _, name := range known {
		if !slices.Contains(leaves(), name) {
			t.Errorf("bundle.Keys names %s, which is no key", name)
		}
	}
}

// settings builds a configuration of one key.
func settings(name string, value any) map[string]any {
	steps := strings.Split(name, ".")
	for i := len(steps) - 1; i >= 0; i-- {
		value = map[string]any{steps[i]: value}
	}
	return value.(map[string]any)
}

// valueUnder returns the effective value of a key for the given values in the user's file and in a bundle. If user is
// nil, the user's file does not set the key.
func valueUnder(t *testing.T, name string, user, company any) any {
	t.Helper()
	file := []byte("{}")
	var err error
	if user != nil {
		if file, err = json.Marshal(settings(name, user)); err != nil {
			t.Fatal(err)
		}
	}
	source, err := json.Marshal(map[string]any{
		"name":    "acme",
		"version": 1,
		"expires": time.Now().Add(time.Hour),
		"config":  settings(name, company),
	})
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Build(source)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Parse("user", file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = WithBundle(c, file, b); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	raw, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var whole any
	if err := json.Unmarshal(raw, &whole); err != nil {
		t.Fatal(err)
	}
	for _, step := range strings.Split(name, ".") {
		whole = whole.(map[string]any)[step]
	}
	return whole
}

// ordered contains the values that [pair] returns for some keys. For the other keys, pair derives two values from the
// order of the key.
var ordered = map[string][2]any{
	"security.approvals.expiry":                              {"10m", "5m"},
	"security.flow_tracking.hash_min_length":                 {30.0, 20.0},
	"security.tool_policy.contradiction":                     {"warn", "ask"},
	"security.exfiltration.action":                           {"warn", "ask"},
	"security.flow_policy.dictated_act":                      {"warn", "ask"},
	"security.flow_policy.unrequested_act":                   {"warn", "ask"},
	"security.flow_policy.metadata_destination":              {"warn", "ask"},
	"security.flow_policy.session_taint":                     {"warn", "ask"},
	"security.flow_policy.opaque_payload":                    {"warn", "ask"},
	"code_execution.max_frame_mb":                            {64.0, 32.0},
	"code_execution.stash_ttl_secs":                          {3600.0, 1800.0},
	"security.risk_assessment.auto_flag_threshold":           {60.0, 50.0},
	"security.risk_assessment.require_approval_threshold":    {90.0, 80.0},
	"security.flow_tracking.session_timeout_minutes":         {30.0, 60.0},
	"security.flow_tracking.max_origins_per_session":         {10000.0, 20000.0},
	"security.flow_tracking.max_response_hash_bytes":         {65536.0, 131072.0},
	"security.exfiltration.window_minutes":                   {5.0, 10.0},
	"security.exfiltration.max_external_calls_per_minute":    {0.0, 10.0},
	"security.exfiltration.max_sensitive_sends":              {0.0, 3.0},
	"security.exfiltration.max_bytes":                        {0.0, 1000.0},
	"security.exfiltration.max_destinations":                 {0.0, 10.0},
	"security.tool_quarantine.quarantine_server_on_rug_pull": {false, true},
}

// pair returns two values of a key, the weaker one first; ok is false for a key without an order.
func pair(k bundle.Key) (v [2]any, ok bool) {
	if v, ok = ordered[k.Name]; ok {
		return v, true
	}
	switch k.Order {
	case bundle.Choice:
		return [2]any{k.Values[0], k.Values[len(k.Values)-1]}, true
	case bundle.True:
		return [2]any{false, true}, true
	case bundle.False:
		return [2]any{true, false}, true
	case bundle.Lower:
		return [2]any{20.0, 10.0}, true
	}
	return v, false
}

func TestOfEachKeyWithAnOrderTheStricterValueHolds(t *testing.T) {
	tried := 0
	for _, k := range bundle.Keys() {
		v, ok := pair(k)
		if !ok || k.Name == "telemetry.enabled" { // needs a collector
			continue
		}
		tried++
		weak, strict := v[0], v[1]
		for name, c := range map[string]struct{ user, company, want any }{
			"the user is weaker":   {weak, strict, strict},
			"the user is stricter": {strict, weak, strict},
			"both are weak":        {weak, weak, weak},
			"the user is silent":   {nil, weak, weak},
		} {
			if got := valueUnder(t, k.Name, c.user, c.company); !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s: %s: got %v, want %v", k.Name, name, got, c.want)
			}
		}
	}
	if tried < 60 {
		t.Errorf("only %d keys were tried", tried)
	}
}

func TestListsAndObjectsOfAUserAndABundleAreMerged(t *testing.T) {
	list := func(all ...string) []any {
		out := []any{}
		for _, s := range all {
			out = append(out, s)
		}
		return out
	}
	pattern := func(name, regex string) map[string]any {
		return map[string]any{"name": name, "regex": regex, "severity": "high"}
	}
	for _, c := range []struct {
		name                string
		user, company, want any
	}{
		{"security.home", list("acme.example", "evil.example"), list("acme.example", "acme.test"), list("acme.example")},
		{"security.home", nil, list("acme.example"), list("acme.example")},
		{"security.home", list("evil.example"), list("acme.example"), list()},
		{"security.classification.internal_domains", list("a.example", "b.example"), list("b.example"), list("b.example")},
		{"security.flow_policy.suspicious_endpoints", list("b.example"), list("a.example"), list("a.example", "b.example")},
		{"security.flow_policy.suspicious_endpoints", list(), list("a.example"), list("a.example")},
		{"security.pii_detection.patterns", list("email"), list(), list()},
		{"security.pii_detection.patterns", list(), list("email"), list()},
		{"security.pii_detection.patterns", list("email"), list("phone"), list("phone", "email")},
		{
			"security.pii_detection.custom_patterns",
			[]any{pattern("badge", "nothing"), pattern("own", "own")},
			[]any{pattern("badge", "B-[0-9]+")},
			[]any{pattern("badge", "B-[0-9]+"), pattern("own", "own")},
		},
		{
			"security.flow_policy.tool_overrides",
			map[string]any{"a": "allow", "b": "deny", "c": "allow"},
			map[string]any{"a": "ask", "b": "warn"},
			map[string]any{"a": "ask", "b": "deny", "c": "allow"},
		},
		{
			"security.classification.server_overrides",
			map[string]any{"evil": "internal"},
			map[string]any{"wiki": "internal"},
			map[string]any{"wiki": "internal"},
		},
		{"security.approvals.wait", "1s", "45s", "45s"},
	} {
		if got := valueUnder(t, c.name, c.user, c.company); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// bundled returns the configuration of a user's file under a bundle.
func bundled(t *testing.T, file, members string) *Config {
	t.Helper()
	b, err := bundle.Build([]byte(fmt.Sprintf(`{"name": "acme", "version": 1, "expires": "2100-01-01T00:00:00Z", %s}`, members)))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Parse("user", []byte(file), nil)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = WithBundle(c, []byte(file), b); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAUsersSuppressionDisablesNoRuleOfABundle(t *testing.T) {
	const file = `{
		"mcpServers": {"a": {"command": "x"}},
		"security": {
			"policies": [{"name": "mine", "when": "call.tool == 'x'", "then": "ask"}],
			"suppressions": [
				{"rule": "security.flow_policy.session_taint", "server": "a"},
				{"rule": "security.content_scan.results", "server": "a"},
				{"rule": "email", "server": "a"},
				{"rule": "mine", "server": "a"}
			]
		}
	}`
	for members, want := range map[string]string{
		`"servers": [{"name": "a", "command": "x"}]`:                         "security.flow_policy.session_taint security.content_scan.results email mine",
		`"config": {"activity": {"durability": "all"}}`:                      "security.flow_policy.session_taint security.content_scan.results email mine",
		`"config": {"security": {"content_scan": {"results": "clean"}}}`:     "security.flow_policy.session_taint mine",
		`"config": {"security": {"flow_policy": {"session_taint": "deny"}}}`: "security.content_scan.results mine",
	} {
		var rules []string
		for _, s := range bundled(t, file, members).Security.Suppressions {
			rules = append(rules, s.Rule)
		}
		if got := strings.Join(rules, " "); got != want {
			t.Errorf("%s: left are %q, want %q", members, got, want)
		}
	}
}

func TestABundleDisablesServersThatItDoesNotList(t *testing.T) {
	const file = `{"mcpServers": {"a": {"command": "x"}, "b": {"command": "x"}, "c": {"command": "x", "enabled": false}}}`
	c := bundled(t, file, `"servers": [{"name": "a", "command": "x"}, {"name": "c", "command": "x"}]`)
	var on []string
	for _, s := range c.Servers {
		if s.IsEnabled() {
			on = append(on, s.Name)
		}
	}
	if strings.Join(on, " ") != "a" || strings.Join(c.Company.Unlisted, " ") != "b" {
		t.Errorf("enabled are %q, not listed %q", on, c.Company.Unlisted)
	}
}

func TestWhatABundleLeavesOutForbidsNothingByItself(t *testing.T) {
	alone := bundled(t, "{}", `"config": {"security": {"tool_policy": {"write": "ask"}}}`).Company.Alone
	if alone.Security.ToolPolicy.Write != mcpproxy.Ask || alone.Security.ToolPolicy.Destructive != mcpproxy.Allow ||
		alone.Security.FlowPolicy.SensitiveDataExternal != mcpproxy.Allow || len(alone.Security.FlowPolicy.SuspiciousEndpoints) > 0 ||
		alone.Security.RiskAssessment.RequireApprovalThreshold <= 100 {
		t.Errorf("the bundle alone is %+v", alone.Security)
	}
}

func TestABundleWithAnInvalidValueIsRefused(t *testing.T) {
	for config, want := range map[string]string{
		`{"security": {"tool_policy": {"write": "forbid"}}}`:                     "security.tool_policy.write",
		`{"security": {"tool_policy": {"write": 1}}}`:                            "security.tool_policy.write",
		`{"security": {"policies": [{"name": "a"}]}}`:                            "security.policies",
		`{"security": {"policies": [{"name": "a", "when": "x", "if": "deny"}]}}`: "security.policies",
		`{"security": {"home": ["*"]}}`:                                          "security.home",
	} {
		b, err := bundle.Build([]byte(`{"name": "acme", "version": 1, "expires": "2100-01-01T00:00:00Z", "config": ` + config + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := BundleAlone(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", config, err)
		}
	}
}

func TestAManagedMachineWithoutABundleIsClosed(t *testing.T) {
	key, err := bundle.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	managed, path := filepath.Join(dir, "managed.json"), filepath.Join(dir, "mcp_config.json")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(managed, fmt.Sprintf(`{"source": "/srv/acme", "public_keys": [%q], "on_expiry": "keep"}`, key.Public()))
	write(path, fmt.Sprintf(`{"data_dir": %q}`, dir))
	t.Setenv("MCPPROXY_TEST_MANAGED_FILE", managed)
	c, err := Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if c.Company == nil || c.Company.Closed == "" {
		t.Errorf("it is not closed: %+v", c.Company)
	}
	write(managed, "{}")
	if _, err := Load(t.Context(), path); err == nil || !strings.Contains(err.Error(), managed) {
		t.Errorf("a machine whose file holds a mistake is like one that is not managed: %v", err)
	}
}
