// Command mcpproxy is a firewall for AI agents. It stands between an agent and its MCP servers, follows data from call
// to call, and stops private data from leaving.
package main

import (
	"os"

	"mcpproxy/internal/cli"
)

func main() { os.Exit(cli.Main()) }
