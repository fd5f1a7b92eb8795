package doctor

import (
	"strings"

	"mcpproxy/internal/config"
)

// hooksPoint checks whether hooks report the agents' own tools.
func hooksPoint(_ Installation, c *config.Config, f *Checkup) Check {
	switch {
	case !c.Security.Hooks.Enabled:
		return better(
			"hooks",
			"security.hooks.enabled",
			"set it to true",
			"hooks are off: agents' own tools are not seen",
		)
	case !f.Coverage.Active && len(f.hooked) > 0:
		return better(
			"hooks",
			"security.hooks",
			"restart the agent and let it use a tool; `mcpproxy hook status` shows what may be wrong",
			"installed for %s, and nothing has come from them lately",
			strings.Join(f.hooked, ", "),
		)
	case !f.Coverage.Active:
		return better(
			"hooks",
			"security.hooks",
			"run `mcpproxy hook install --agent claude-code`, or name your agent",
			"none are active: agents' own tools are not seen",
		)
	}
	return well("hooks", "security.hooks", "active")
}
