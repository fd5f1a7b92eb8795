package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"mcpproxy/internal/exit"
	hookclient "mcpproxy/internal/hook/client"
)

// evaluateHook runs `hook evaluate` without building the other commands, because an agent waits for it before each
// call of its tools. It returns false for all other commands.
func evaluateHook(args []string) (code int, ok bool) {
	if len(args) < 2 || args[0] != "hook" || args[1] != "evaluate" {
		return 0, false
	}
	return hookclient.Main(args[2:]), true
}

func hookCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "See what agents do with their own tools",
		Args:  noSuchVerb,
		RunE:  help,
		Long: `An agent's hook tells mcpproxy what the agent does with its own tools, such as
reading a file or running a command, before it does it. Without a hook only the
calls to MCP servers are seen.`,
		Example: `  mcpproxy hook install --agent claude-code --scope project
  mcpproxy hook install --all --dry-run     what would change for every agent that is found
  mcpproxy hook status
  mcpproxy hook uninstall`,
	}
	cmd.AddCommand(hookEvaluate(), hookInstallCommand(g), hookUninstallCommand(g), hookStatusCommand(g))
	return cmd
}

// errSilent is an error whose message was already printed.
var errSilent = errors.New("")

// hookEvaluate returns the command `hook evaluate`, so that the help lists it. [Main] normally runs it with
// evaluateHook instead, without building the commands.
func hookEvaluate() *cobra.Command {
	return &cobra.Command{
		Use:                "evaluate",
		Short:              "Evaluate an event of an agent's hook: payload on standard input, answer on standard output",
		Long:               hookclient.Usage,
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if code := hookclient.Main(args); code != 0 {
				return exit.With(code, errSilent)
			}
			return nil
		},
	}
}
