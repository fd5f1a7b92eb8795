package daemon

import (
	"context"
	"fmt"
	"net"
	"slices"
	"time"

	"mcpproxy"
	"mcpproxy/internal/config"
	"mcpproxy/internal/exit"
)

// lookupTime is the timeout for resolving a host name.
const lookupTime = 2 * time.Second

// checkExposed refuses to listen on an address that other machines can reach if the MCP endpoints
// need no key, unless the user has explicitly allowed it.
func checkExposed(ctx context.Context, address string, c *config.Config) error {
	if c.RequireMCPAuth || c.InsecureListen || !reachable(ctx, address) {
		return nil
	}
	return exit.With(exit.Config, fmt.Errorf("listen: other machines reach %s, and the MCP endpoints need no key: "+
		`set "require_mcp_auth": true, or listen on 127.0.0.1; `+
		"to serve everybody without a key, start with: mcpproxy serve --insecure-listen", address))

}

// reachable reports whether other machines can reach a listener on host:port. A name is reachable
// if any of its addresses is. A name that cannot be resolved is not reachable, because listening on
// it fails.
func reachable(ctx context.Context, address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if host == "" {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	all, err := net.DefaultResolver.LookupHost(ctx, host)
	return err == nil && slices.ContainsFunc(all, func(ip string) bool { return !mcpproxy.LoopbackHost(ip) })
}
