// Command mcpproxy-hook is what an agent runs before and after it uses a tool: it
// hands the agent's payload to the running mcpproxy and prints the answer. It is
// small and starts at once, and without a running mcpproxy it lets the agent go
// on. `mcpproxy hook install` enters it into an agent's settings.
package main

import (
	"os"

	"mcpproxy/internal/hook/client"
)

func main() {
	os.Exit(client.Main(os.Args[1:]))
}
