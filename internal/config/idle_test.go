package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpproxy/internal/config"
)

// Shows: RFC-25.
func TestIdleListsWhatIsSetAndHasNoEffect(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		want []string
	}{
		"the defaults":                     {`{}`, nil},
		"a key with an effect":             {`{"security": {"kill_switch": true, "tool_policy": {"write": "deny", "contradiction": "warn"}, "classification": {"internal_domains": ["corp.example"]}}}`, nil},
		"an idle key at its default":       {`{"security": {"tool_policy": {"log_level": "warn"}}}`, nil},
		"one idle key":                     {`{"security": {"tool_policy": {"log_level": "info"}}}`, []string{"security.tool_policy.log_level"}},
		"an idle key beside one that acts": {`{"security": {"tool_policy": {"write": "deny", "log_level": "debug"}}}`, []string{"security.tool_policy.log_level"}},
		"rules of one's own":               {`{"security": {"policies": [{"name": "a", "when": "true", "then": "deny"}]}}`, nil},
		"groups":                           {`{"mcpServers": {"a": {"command": "x"}}, "groups": {"g": {"servers": ["a"], "isolation": "strict"}}}`, nil},
		"a server's key":                   {`{"mcpServers": [{"name": "a", "url": "https://a.example", "oauth": {"scopes": ["x"]}, "timeout_secs": 3}]}`, nil},
		"several, in order": {`{"security": {"hooks": {"explicit_allow": true}, "approvals": {"wait": "60s"}, "pii_detection": {"auto_redact_after_days": 3}, "tool_policy": {"log_level": "error"}}}`,
			[]string{"security.tool_policy.log_level"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := config.Parse("f.json", []byte(c.file), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.Idle(), cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
