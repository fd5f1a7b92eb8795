package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/agent"
	"mcpproxy/internal/api"
	"mcpproxy/internal/exit"
	"mcpproxy/internal/peer"
	"mcpproxy/internal/remote"
)

// deciding are the commands that write a decision about agents to a file themselves. For commands
// that send a decision to the daemon, the daemon checks who started them.
var deciding = []string{
	"connect", "disconnect", "import",
	"hook install", "hook uninstall",
	"kill off",
	"upstream add", "upstream remove", "upstream enable", "upstream disable", "upstream restart", "upstream login", "upstream logout",
	"enroll", "hub token create", "hub revoke",
	"service install", "service uninstall", "stop", "restart",
}

// standingPatience is how long the command waits for the daemon's answer about who may decide.
const standingPatience = 10 * time.Second

// checkStanding refuses a command that makes a decision if an agent has started the command,
// because such decisions are the user's. The daemon knows the agents that it serves. Without a
// daemon, the names of this process's ancestors are checked. If a daemon runs but does not answer,
// the command is refused, whatever security.hooks.fail_open says about calls: an agent can keep the
// daemon busy, and the user can stop it.
func (g *globals) checkStanding(cmd *cobra.Command) error {
	path := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	dry := cmd.Flags().Lookup("dry-run")
	if !slices.Contains(deciding, path) || dry != nil && dry.Value.String() == "true" {
		return nil
	}
	if agent, ok := peer.Ancestor(isAgentProgram); ok {
		return standingError(path, fmt.Sprintf("it was started by the agent %s", agent))
	}
	c, err := newClient(g)
	if err != nil {
		return nil // the command itself reports the invalid configuration
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), standingPatience)
	defer cancel()
	var at api.Standing
	err = c.Get(ctx, "/api/v1/standing", nil, &at)
	switch {
	case errors.Is(err, remote.ErrNotRunning):
		return nil
	case err != nil:
		return standingError(path, fmt.Sprintf(
			"the daemon did not say whether you may decide (%v); try again, or stop the daemon if it hangs", err))
	case at.MayDecide:
		return nil
	}
	return standingError(path, at.Reason)
}

func standingError(command, why string) error {
	return exit.With(exit.Permission, fmt.Errorf("only the user may run mcpproxy %s: %s", command, why))
}

// isAgentProgram reports whether a process is a known agent, by its program or by the script that
// it runs.
func isAgentProgram(name string, args []string) bool {
	names := []string{name}
	for _, arg := range args[:min(len(args), 3)] {
		names = append(names, filepath.Base(arg))
	}
	return slices.ContainsFunc(agent.Programs(), func(program string) bool { return slices.Contains(names, program) })
}
