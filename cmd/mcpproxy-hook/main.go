// Command mcpproxy-hook is the program that an agent runs before and after it uses a tool. It sends the agent's
// payload to the running mcpproxy and prints the answer. It is small, so that it starts quickly. If mcpproxy is not
// running, it lets the agent continue. `mcpproxy hook install` adds it to an agent's settings.
package main

import (
	"os"

	"mcpproxy/internal/hook/client"
)

func main() {
	os.Exit(client.Main(os.Args[1:]))
}
