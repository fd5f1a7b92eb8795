package agents_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcpproxy/internal/e2e/agents"
)

// The settings that `mcpproxy connect` writes work: the clients read them, start the server and call its tools.
func TestAConnectedAgentUsesTheProxy(t *testing.T) {
	for _, c := range []struct {
		client client
		scopes map[string]string // and what the client prints about a server
		list   []string          // the client's own command that shows a server
		file   string            // path below the home folder, of a file with another server
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
					r := newMachine(t)
					r.Serve(1)
					before := c.before
					if c.client.program == "codex" {
						before += "\n[projects.\"" + r.project + "\"]\ntrust_level = \"trusted\"\n"
					}
					r.Write(filepath.Join(r.Home, c.file), before)
					r.mcpproxy("connect", c.client.name, "--scope", scope)
					listed := r.agent(path, c.client.env(r), c.list)
					if !strings.Contains(listed, want) ||
						!strings.Contains(listed, filepath.Join(r.Data, "config.json")) {
						t.Errorf("the client says:\n%s", listed)
					}
					r.mcpproxy("disconnect", c.client.name, "--scope", scope)
					raw, err := os.ReadFile(filepath.Join(r.Home, c.file))
					if err != nil || strings.Contains(string(raw), `mcpproxy"`) ||
						!strings.Contains(string(raw), "other") {
						t.Errorf("the file is %s, %v", raw, err)
					}
				})
			}
		})
	}
}

// An agent that was connected by the command calls a tool through the bridge, which it starts itself.
func TestAConnectedAgentCallsThroughTheBridge(t *testing.T) {
	for _, c := range clients {
		for _, scope := range []string{"user", "project"} {
			t.Run(c.name+" "+scope, func(t *testing.T) {
				t.Parallel()
				path, r := installed(t, c.program), newMachine(t)
				r.Serve(1)
				for name, content := range c.settings(r) {
					r.Write(filepath.Join(r.Home, name), content)
				}
				if c.program == "claude" {
					r.Write(filepath.Join(r.Home, ".claude", "settings.json"), `{"enableAllProjectMcpServers": true}`)
				}
				if c.program != "claude" { // what they know already is the listener
					r.mcpproxy("disconnect", c.name)
				}
				r.mcpproxy("connect", c.name, "--scope", scope)
				call := agents.Step{
					Tool:  c.vault,
					Input: map[string]any{"name": "vault:read_secret", "args": map[string]any{"name": "deploy-key"}},
				}
				r.model.Script = []agents.Step{call, {Text: "done"}}
				args := slices.DeleteFunc(c.args(r), func(a string) bool {
					return a == "--strict-mcp-config" || a == "--mcp-config" || strings.HasSuffix(a, "mcp.json")
				})
				r.agent(path, append(c.env(r), "GITHUB_COPILOT_PROMPT_MODE_WORKSPACE_MCP=true"), args)
				r.answered(0, vaultKey)
			})
		}
	}
}
