package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/remote"
)

// killPatience is how long the command waits for the daemon before it writes the kill file itself.
const killPatience = 3 * time.Second

func killCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "kill",
		Short: "Deny every call at once, or end that",
		Args:  noSuchVerb,
		RunE:  help,
		Long: `Denies every call of every agent at once: tools, resources, prompts, hooks, and
calls that wait for an approval. It works without a running daemon too, and
survives restarts: it holds while the file KILL is in the data folder.`,
		Example: `  mcpproxy kill on
  mcpproxy kill off`,
	}
	for _, v := range []struct {
		use, short string
		on         bool
	}{{"on", "Deny every call from now on", true}, {"off", "End it: the rules decide about calls again", false}} {
		cmd.AddCommand(&cobra.Command{
			Use:   v.use,
			Short: v.short,
			Args:  noArguments,
			RunE:  func(cmd *cobra.Command, _ []string) error { return kill(cmd, g, v.on) },
		})
	}
	return cmd
}

// kill changes the switch in the daemon or, if no daemon answers, in its data folder.
func kill(cmd *cobra.Command, g *globals, on bool) error {
	c, err := remote.Config(g.config)
	if err != nil {
		return fmt.Errorf(
			"%w\nWhile the configuration cannot be read, a file named KILL in the data folder, or the signal SIGUSR1, turns the kill switch on",
			err,
		)
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), killPatience)
	defer cancel()
	var state api.KillState
	running, told := remote.New(c)
	if told == nil {
		told = running.Post(ctx, "/api/v1/kill", map[string]bool{"on": on}, &state)
	}
	if told != nil {
		if state, err = killFile(c, on); err != nil {
			return errors.Join(told, err)
		}
	}
	if g.output != "table" {
		if err := g.print(cmd.OutOrStdout(), state, nil); err != nil {
			return err
		}
	} else {
		printKill(cmd.OutOrStdout(), state, g.config)
	}
	if told != nil && !errors.Is(told, remote.ErrNotRunning) {
		return fmt.Errorf("the kill switch was written to %s, but the daemon answered: %w", daemon.KillPath(c), told)
	}
	return nil
}

// killFile changes the kill switch without a daemon. The next daemon reads the file at its start.
func killFile(c *config.Config, on bool) (api.KillState, error) {
	path := daemon.KillPath(c)
	var err error
	if on {
		if err = os.MkdirAll(c.DataDir, 0o700); err == nil {
			err = daemon.WriteKill(path, "local user")
		}
	} else if err = os.Remove(path); errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return api.KillState{On: on || c.Security.KillSwitch, Config: c.Security.KillSwitch}, err
}

// printKill prints the state of the switch.
func printKill(w io.Writer, s api.KillState, file string) {
	on := term.Colors(w).Red("THE KILL SWITCH IS ON")
	if s.Since != nil {
		on += ", since " + s.Since.Local().Format("2006-01-02 15:04:05") + " by " + term.Plain(cmp.Or(s.By, "somebody"))
	}
	switch {
	case !s.On:
		fmt.Fprintln(w, "The kill switch is off: the rules decide about calls again.")
	case s.Config:
		fmt.Fprintf(
			w,
			"%s: every call is denied. It is set in %s (security.kill_switch), and only a change there ends it.\n",
			on,
			file,
		)
	default:
		fmt.Fprintf(w, "%s: every call is denied, after a restart too. End it with: mcpproxy kill off\n", on)
	}
}
