package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/bridge"
	"mcpproxy/internal/remote"
)

func stdioCommand(g *globals) *cobra.Command {
	var server string
	var all bool
	cmd := &cobra.Command{
		Use:   "stdio",
		Short: "Connect an agent that only speaks stdio to the running proxy",
		Args:  noArguments,
		Long: `Reads MCP messages from standard input and passes them to the running daemon, so
that agents which can only start a program are protected too. Put it where the
agent's configuration names the server's command. With a token in MCPPROXY_TOKEN the
agent is the principal of that token, and has its scope. With autostart true in the
configuration it starts the daemon if that is not running.`,
		Example: `  mcpproxy stdio
  mcpproxy stdio --server github
  {"mcpServers": {"mcpproxy": {"command": "mcpproxy", "args": ["stdio"]}}}`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// A user who can change the file can redirect the agent to another daemon.
			if err := atomicfile.CheckWriters(g.config); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			settings, err := remote.Config(g.config)
			if err != nil {
				return err
			}
			if err := autostart(cmd.Context(), g, settings); err != nil {
				fmt.Fprintln(cmd.ErrOrStderr(), "mcpproxy stdio: starting the daemon:", err)
			}
			c, err := remote.New(settings)
			if err != nil {
				return err
			}
			path := "/mcp"
			if all {
				path = "/mcp/all"
			}
			if server != "" {
				path = "/mcp/s/" + server
			}
			key, err := remote.AgentKey(c)
			if err != nil {
				return err
			}
			folder, _ := os.Getwd() // a removed folder has no name
			b := &bridge.Bridge{
				HTTP:    c.Http,
				URL:     c.Base + path,
				Key:     key,
				Session: os.Getenv("CLAUDE_CODE_SESSION_ID"),
				Folder:  folder,
			}
			return b.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&server, "server", "", "connect to one server as it is (/mcp/s/NAME)")
	cmd.Flags().BoolVar(&all, "all", false, "offer every tool of every server (/mcp/all)")
	return cmd
}
