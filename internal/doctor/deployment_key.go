package doctor

import (
	"net"

	"mcpproxy/internal/config"
)

// minKey is the length from which guessing a key is infeasible.
const minKey = 20

// keyPoint checks whether the listener requires a key.
func keyPoint(_ Installation, c *config.Config, f *Checkup) Check {
	const name = "key"
	listen, auth := c.Listen, c.RequireMCPAuth
	if f.running != nil { // a flag or a variable may override the file
		listen, auth = f.running.Listen, f.running.MCPAuth
	}
	host, _, _ := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	local := host == "localhost" || ip != nil && ip.IsLoopback()
	switch {
	case !local && !auth:
		return broken(
			name,
			"require_mcp_auth",
			"set it to true, or listen on 127.0.0.1",
			"%s is open to other machines, and its MCP endpoints need no key",
			listen,
		)
	case !auth:
		return better(
			name,
			"require_mcp_auth",
			"set it to true",
			"every program of this machine may call all tools: the MCP endpoints need no key",
		)
	case c.APIKey != "" && len(c.APIKey) < minKey:
		return better(
			name,
			"api_key",
			"remove it: `mcpproxy serve` makes a good one",
			"it has only %d characters",
			len(c.APIKey),
		)
	}
	return well(name, "api_key", "the REST API, the page and the MCP endpoints require it")
}
