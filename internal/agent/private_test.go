package agent_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"mcpproxy/internal/agent"
)

func TestPrivatePathsContainAllSettingsOfAgents(t *testing.T) {
	private := agent.PrivatePaths()
	for _, file := range []string{
		".claude/settings.json",
		".claude.json",
		".config/Claude/claude_desktop_config.json",
		".codex/config.toml",
		".gemini/settings.json",
		".copilot/mcp-config.json",
		".cursor/mcp.json",
		".config/Code/User/mcp.json",
		".vscode/argv.json",
		".codeium/windsurf/mcp_config.json",
		".config/opencode/opencode.json",
		".config/goose/config.yaml",
		".agents/plugins/mcpproxy/hooks/hooks.json",
	} {
		if !slices.ContainsFunc(private, func(p string) bool { return p == file || strings.HasPrefix(file, p+"/") }) {
			t.Errorf("%s is in none of %q", file, private)
		}
	}
	for _, p := range private {
		if p == "." || path.IsAbs(p) || strings.HasPrefix(p, "..") || p != path.Clean(p) {
			t.Errorf("%q is no path below the user's folder", p)
		}
	}
}
