package agents_test

import (
	"fmt"

	"mcpproxy/internal/e2e/agents"
)

// codex runs without asking for permissions and without a sandbox, because these would stop the thefts before the hook
// does.
var codex = client{
	name:    "codex",
	program: "codex",
	after:   "PostToolUse",
	trusted: "no", // its hooks have not been reviewed
	settings: func(r *machine) map[string]string {
		return map[string]string{".codex/config.toml": fmt.Sprintf(`model = "gpt-5"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "%s/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"

[mcp_servers.mcpproxy]
url = "http://%s/mcp"
http_headers = { "X-API-Key" = "agents-key" }

[projects.%q]
trust_level = "trusted"
`, r.modelURL, r.Listen, r.project)}
	},
	env: func(*machine) []string { return []string{"SCRIPTED_KEY=dummy"} },
	args: func(*machine) []string {
		return []string{
			"exec",
			"--skip-git-repo-check",
			"--json",
			"--dangerously-bypass-hook-trust",
			"--dangerously-bypass-approvals-and-sandbox",
			"go",
		}
	},
	read:  func(path string) agents.Step { return codexShell("cat " + path) },
	shell: codexShell,
	vault: "mcp__mcpproxy/call_tool_read",
}

func codexShell(command string) agents.Step {
	return agents.Step{Tool: "exec_command", Input: map[string]any{"cmd": command}}
}
