package agents_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy/internal/e2e/agents"
)

// What `mcpproxy connect` writes is what the clients read, start and call.
func TestAConnectedAgentUsesTheProxy(t *testing.T) {
	for _, c := range []struct {
		client client
		scopes map[string]string // and what the client says of a server there
		list   []string          // the client's own command that shows one
		file   string // within the home, with another server in it
		before string
	}{
		{claude, map[string]string{"user": "Connected", "local": "Connected", "project": "Pending approval"}, []string{"mcp", "get", "mcpproxy"}, ".claude.json",
			`{"numStartups": 1, "mcpServers": {"other": {"type": "stdio", "command": "true", "args": []}}}`},
		{codex, map[string]string{"user": "enabled: true", "project": "enabled: true"}, []string{"mcp", "get", "mcpproxy"}, ".codex/config.toml",
			"# mine\n[mcp_servers.other]\ncommand = \"true\"\n"},
	} {
		t.Run(c.client.name, func(t *testing.T) {
			t.Parallel()
			path := installed(t, c.client.program)
			for scope, want := range c.scopes {
				t.Run(scope, func(t *testing.T) {
					r := newRig(t)
					r.serve()
					before := c.before
					if c.client.program == "codex" {
						before += "\n[projects.\"" + r.project + "\"]\ntrust_level = \"trusted\"\n"
					}
					r.write(filepath.Join(r.home, c.file), before)
					r.mcpproxy("connect", c.client.name, "--scope", scope)
					listed := r.agent(path, c.client.env(r), c.list)
					if !strings.Contains(listed, want) || !strings.Contains(listed, filepath.Join(r.data, "config.json")) {
						t.Errorf("the client says:\n%s", listed)
					}
					r.mcpproxy("disconnect", c.client.name, "--scope", scope)
					if raw, err := os.ReadFile(filepath.Join(r.home, c.file)); err != nil || strings.Contains(string(raw), `mcpproxy"`) || !strings.Contains(string(raw), "other") {
						t.Errorf("the file is %s, %v", raw, err)
					}
				})
			}
		})
	}
}

// An agent that was connected by the command, and has nothing else, calls a tool by
// the bridge that it starts.
func TestAConnectedAgentCallsThroughTheBridge(t *testing.T) {
	for _, c := range []struct {
		client client
		args   func(r *rig) []string
	}{
		{claude, func(*rig) []string {
			return []string{"-p", "go", "--model", "claude-sonnet-4-5", "--permission-mode", "bypassPermissions", "--output-format", "json"}
		}},
		{codex, codex.args},
	} {
		t.Run(c.client.name, func(t *testing.T) {
			t.Parallel()
			path, r := installed(t, c.client.program), newRig(t)
			r.serve()
			if c.client.program == "codex" {
				settings := c.client.settings(r)[".codex/config.toml"]
				before, after, _ := strings.Cut(settings, "[mcp_servers.mcpproxy]")
				_, after, _ = strings.Cut(after, "\n\n")
				r.write(filepath.Join(r.home, ".codex", "config.toml"), before+after)
			}
			r.mcpproxy("connect", c.client.name)
			r.model.Script = []agents.Step{{Tool: c.client.vault, Input: map[string]any{"name": "vault:read_secret", "args": map[string]any{"name": "deploy-key"}}}, {Text: "done"}}
			r.agent(path, c.client.env(r), c.args(r))
			r.answered(0, vaultKey)
		})
	}
}
