package doctor

import (
	"mcpproxy/internal/config"
)

// changePoint says whether tools that change are held.
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
