package doctor

import (
	"mcpproxy/internal/config"
)

// changePoint checks whether changed tools are held.
func changePoint(_ Installation, c *config.Config, _ *Checkup) Check {
	if q := c.Security.ToolQuarantine; !q.Enabled || !q.RugPullDetection {
		return better(
			"changed tools",
			"security.tool_quarantine.rug_pull_detection",
			"set it to true",
			"a tool that changes after it was approved stays approved",
		)
	}
	return well("changed tools", "security.tool_quarantine.rug_pull_detection", "they wait for approval")
}
