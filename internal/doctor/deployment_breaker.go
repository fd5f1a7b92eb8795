package doctor

import (
	"mcpproxy/internal/config"
)

// mostFaults is the number of consecutive failures after which a server counts as failed.
const mostFaults = 20

// breakerPoint names the servers whose circuit breaker is off or opens late.
func breakerPoint(_ Installation, c *config.Config, _ *Checkup) Check {
	off := serversWhere(c, func(s config.Server) bool { return s.CircuitBreaker != nil && !*s.CircuitBreaker })
	if len(off) > 0 {
		return better(
			"circuit breaker",
			"mcpServers[].circuit_breaker",
			"set it to true",
			"it is off for %s: calls go on however often these servers fail",
			listed(off),
		)
	}
	if late := serversWhere(c, func(s config.Server) bool { return s.FailureThreshold > mostFaults }); len(late) > 0 {
		return better(
			"circuit breaker",
			"mcpServers[].failure_threshold",
			"set 3",
			"it opens after more than %d faults in a row for %s",
			mostFaults,
			listed(late),
		)
	}
	return well("circuit breaker", "mcpServers[].circuit_breaker", "on for every server")
}
