// Command mcpproxy is a firewall for AI agents: it stands between an agent and
// its MCP servers, follows data from call to call, and stops private data on its
// way out.
package main

import (
	"os"

	"mcpproxy/internal/cli"
)

func main() { os.Exit(cli.Main()) }
