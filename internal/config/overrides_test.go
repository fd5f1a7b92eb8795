package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/config"
)

// A misspelt override would match nothing without anybody noticing.
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
		`"flow_policy": {"tool_overrides": {"Websearch": "deny"}}`:            "WebSearch",
		`"classification": {"tool_overrides": {"BASH": "external"}}`:          "Bash",
		`"flow_policy": {"tool_overrides": {"websearch": "deny"}}`:            "",
		`"flow_policy": {"tool_overrides": {"NoSuchTool": "deny"}}`:           "",
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

// The tools of a server are known after it was read. From then on, an override of another tool is an error.
func TestAnOverrideOfAToolThatIsNotThereMatchesNothing(t *testing.T) {
	c, err := config.Parse("f.json", []byte(`{"mcpServers": {"slack": {"command": "x"}, "github": {"command": "y"}}, "security": {
		"classification": {"tool_overrides": {"slack:nosuch": "external", "slack:post": "external", "Bash": "hybrid"}},
		"flow_policy": {"tool_overrides": {"slack:psot": "deny", "slack": "ask", "github:anything": "deny", "other:tool": "deny"}}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`security.classification.tool_overrides: the server "slack" has no tool "nosuch", so "slack:nosuch" matches nothing`,
		`security.flow_policy.tool_overrides: the server "slack" has no tool "psot", so "slack:psot" matches nothing; ` +
			`did you mean "slack:post"?`,
	}
	known := map[string][]string{"slack": {"post", "list"}}
	if diff := cmp.Diff(want, c.UnmatchedOverrides(known)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"github:anything"}, c.UncheckedOverrides(known)); diff != "" {
		t.Errorf("unchecked: %s", diff)
	}
}
