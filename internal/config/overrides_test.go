package config_test

import (
	"strings"
	"testing"

	"mcpproxy/internal/config"
)

// A misspelt override protects nothing, and nobody would hear of it.
func TestAnOverrideOfAMisspeltServerIsAMistake(t *testing.T) {
	for override, meant := range map[string]string{
		`"classification": {"server_overrides": {"slack": "external"}}`:       "",
		`"classification": {"server_overrides": {"slak": "external"}}`:        "slack",
		`"classification": {"server_overrides": {"Slack": "external"}}`:       "slack",
		`"classification": {"server_overrides": {"salck": "external"}}`:       "slack",
		`"classification": {"server_overrides": {"slacks": "external"}}`:      "slack",
		`"classification": {"tool_overrides": {"slock:post": "external"}}`:    "slack",
		`"flow_policy": {"tool_overrides": {"slac:post_message": "deny"}}`:    "slack",
		`"flow_policy": {"tool_overrides": {"WebFetch": "deny"}}`:             "",
		`"classification": {"server_overrides": {"gitlab": "external"}}`:      "",
		`"classification": {"server_overrides": {"slack-two": "external"}}`:   "",
		`"flow_policy": {"tool_overrides": {"gihtub:get_me": "allow"}}`:       "github",
		`"flow_policy": {"tool_overrides": {"github:get_me": "allow"}}`:       "",
		`"classification": {"tool_overrides": {"github:get_me": "internal"}}`: "",
	} {
		_, err := config.Parse("f.json",
			[]byte(`{"mcpServers": {"slack": {"command": "x"}, "github": {"command": "y"}}, "security": {`+override+`}}`), nil)
		if meant == "" && err != nil || meant != "" && (err == nil || !strings.Contains(err.Error(), `did you mean "`+meant+`"?`)) {
			t.Errorf("%s: %v", override, err)
		}
	}
}
