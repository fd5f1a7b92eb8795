package cli

import (
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"mcpproxy/internal/daemon"
	"mcpproxy/internal/demo"
	"mcpproxy/internal/demo/servers"
	"mcpproxy/internal/version"
)

func demoCommand() *cobra.Command {
	var once bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show a theft being stopped, with servers of its own",
		Args:  noArguments,
		Long: `Starts the proxy on a free port in a temporary folder, with three small MCP servers
(a vault and a database inside, a chat outside), and plays a few scenes through it
with a real MCP client. Then it stays for you to try, until Ctrl-C.`,
		Example: "  mcpproxy demo\n  mcpproxy demo --once",
		RunE: func(cmd *cobra.Command, _ []string) error {
			// A denied call is logged as an error, but it is part of the demo.
			if err := daemon.LogTo(cmd.ErrOrStderr(), "error+1"); err != nil {
				return err
			}
			return demo.Run(cmd.Context(), cmd.OutOrStdout(), once)
		},
	}
	cmd.Flags().BoolVar(&once, "once", false, "exit after the scenes, with code 1 if one of them went wrong")
	return cmd
}

// demoServerCommand returns the hidden command that runs one of the demo's MCP servers over stdio.
func demoServerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "demo-server NAME",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := mcp.NewServer(&mcp.Implementation{Name: args[0], Version: version.String()}, nil)
			switch args[0] {
			case "vault":
				servers.AddVault(s)
			case "database":
				servers.AddDatabase(s)
			case "chat":
				servers.AddChat(s)
			default:
				return fmt.Errorf("the demo has no server %q", args[0])
			}
			return s.Run(cmd.Context(), &mcp.StdioTransport{})
		},
	}
}
