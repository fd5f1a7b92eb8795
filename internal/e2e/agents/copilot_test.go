package agents_test

import (
	"fmt"

	"mcpproxy/internal/e2e/agents"
)

var copilot = client{
	name:    "copilot",
	program: "copilot",
	after:   "postToolUse",
	trusted: "yes",
	settings: func(r *machine) map[string]string {
		return map[string]string{
			".copilot/mcp-config.json": fmt.Sprintf(
				`{"mcpServers": {"mcpproxy": {"type": "http", "url": "http://%s/mcp", "headers": {"X-API-Key": "agents-key"}, "tools": ["*"]}}}`,
				r.Listen,
			),
			".copilot/config.json": fmt.Sprintf(`{"trustedFolders": [%q]}`, r.project),
		}
	},
	env: func(r *machine) []string {
		return []string{
			"COPILOT_OFFLINE=true",
			"COPILOT_PROVIDER_BASE_URL=" + r.modelURL + "/v1",
			"COPILOT_PROVIDER_API_KEY=dummy",
			"COPILOT_MODEL=gpt-4.1",
		}
	},
	args: func(*machine) []string { return []string{"-p", "go", "--allow-all-tools", "--allow-all-paths"} },
	read: func(path string) agents.Step {
		return agents.Step{Tool: "view", Input: map[string]any{"path": path}}
	},
	shell: func(command string) agents.Step {
		return agents.Step{Tool: "bash", Input: map[string]any{"command": command, "description": "Work"}}
	},
	vault: "mcpproxy-call_tool_read",
}
