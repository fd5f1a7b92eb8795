package doctor

import (
	"mcpproxy/internal/config"
)

// longest is the recommended maximum timeout of one call, in seconds.
const longest = 120

// timeoutPoint names the servers with long timeouts.
func timeoutPoint(_ Installation, c *config.Config, _ *Checkup) Check {
	slow := serversWhere(c, func(s config.Server) bool { return s.TimeoutSecs > longest })
	if len(slow) > 0 {
		return better(
			"timeouts",
			"mcpServers[].timeout_secs",
			"set 30 for tools that compute, 5 for those that look something up",
			"a call may take more than %d s at %s",
			longest,
			listed(slow),
		)
	}
	return well("timeouts", "mcpServers[].timeout_secs", "every server has a timeout; the default is 30 s")
}
