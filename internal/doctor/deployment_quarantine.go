package doctor

import (
	"mcpproxy/internal/config"
)

// quarantinePoint checks whether new tools wait for approval.
func quarantinePoint(_ Installation, c *config.Config, _ *Checkup) Check {
	q := c.Security.ToolQuarantine
	switch {
	case !q.Enabled:
		return better(
			"quarantine",
			"security.tool_quarantine.enabled",
			"set it to true",
			"it is off: what servers declare reaches agents unseen",
		)
	case !q.AutoQuarantineNewTools:
		return better(
			"quarantine",
			"security.tool_quarantine.auto_quarantine_new_tools",
			"set it to true before you connect servers that you do not trust",
			"new tools are approved unless a scan finds something",
		)
	}
	return well("quarantine", "security.tool_quarantine", "new tools wait for approval")
}
