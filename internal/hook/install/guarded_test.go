package install_test

import (
	"slices"
	"testing"

	"mcpproxy/internal/hook/install"
)

func TestAllPlacesOfAnAgentWithAHookAreGuarded(t *testing.T) {
	env := install.Env{Home: "/home/me", Getenv: func(string) string { return "" }}
	for name, c := range map[string]struct {
		files        []string
		guarded, not string
	}{
		"of the user":      {[]string{"/home/me/.claude/settings.json"}, ".claude/settings.local.json", ".cursor/hooks.json"},
		"of a project":     {[]string{"/w/app/.codex/hooks.json"}, "/home/me/.codex/config.toml", ".claude/settings.json"},
		"of what is alike": {[]string{"/w/app/x.codex/hooks.json"}, "", ".codex/config.toml"},
		"of no agent":      {nil, "", ".claude/settings.json"},
	} {
		t.Run(name, func(t *testing.T) {
			got := install.Guarded(env, c.files)
			if c.guarded != "" && !slices.Contains(got, c.guarded) || slices.Contains(got, c.not) {
				t.Errorf("%q", got)
			}
		})
	}
}
