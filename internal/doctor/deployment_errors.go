package doctor

import (
	"mcpproxy/internal/config"
)

// redactionPoint checks whether errors show internals of servers to agents.
func redactionPoint(_ Installation, c *config.Config, _ *Checkup) Check {
	if c.Security.ErrorRedaction == "off" {
		return better(
			"errors",
			"security.error_redaction",
			"set it to on",
			"agents read addresses, paths and traces of servers in errors",
		)
	}
	return well("errors", "security.error_redaction", "agents read them without the internals of servers")
}
