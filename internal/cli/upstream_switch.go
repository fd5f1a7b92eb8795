package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/remote"
	"mcpproxy/internal/trust"
	"mcpproxy/internal/upstream"
)

// upstreamSwitch returns the command that enables or disables a server.
func upstreamSwitch(g *globals, on bool) *cobra.Command {
	use, short := "disable", "Disconnect a server, and keep it in the configuration"
	if on {
		use, short = "enable", "Connect to a server that was disabled"
	}
	return &cobra.Command{
		Use:   use + " NAME",
		Short: short,
		Args:  cobra.ExactArgs(1),
		Long: `Sets enabled of the server in the configuration file; the rest of the file stays as it is.
A running daemon follows at once. What was approved of the server is remembered.`,
		Example: "  mcpproxy upstream " + use + " wiki",
		RunE: func(cmd *cobra.Command, args []string) error {
			changed, err := config.EnableServer(g.config, args[0], on)
			if err != nil {
				return err
			}
			done := use + "d"
			if !changed {
				done = "already " + done
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%s is %s in %s.\n", args[0], done, g.config)
			return showSettled(cmd, g, args[0], func(s upstream.State) bool { return (s != upstream.Disabled) == on })
		},
	}
}

// upstreamRestart returns the command that ends a server's processes and connections and connects again.
func upstreamRestart(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "restart NAME",
		Short: "End a server's processes and connections, and connect again",
		Args:  cobra.ExactArgs(1),
		Long: `Ends the processes and connections of a server and connects to it again. Calls that run
fail. What the server declares then is compared with what was approved, as at every start.`,
		Example: "  mcpproxy upstream restart wiki",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := newClient(g)
			if err != nil {
				return err
			}
			var st api.Restarted
			if err := c.Post(cmd.Context(), "/api/v1/servers/"+url.PathEscape(args[0])+"/restart", struct{}{}, &st); err != nil {
				return err
			}
			return showSettled(cmd, g, args[0], func(upstream.State) bool { return true })
		},
	}
}

const (
	settlePatience = 60 * time.Second // for a server to become ready or fail
	settleLook     = 100 * time.Millisecond
)

// showSettled waits until a server has reached a stable state that begun accepts, and prints the
// state. Without a daemon it prints when the change takes effect.
func showSettled(cmd *cobra.Command, g *globals, name string, begun func(upstream.State) bool) error {
	c, err := newClient(g)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), settlePatience)
	defer cancel()
	done := term.Progress(cmd.ErrOrStderr(), "waiting for "+name)
	s, err := settled(ctx, c, name, begun)
	done()
	switch {
	case errors.Is(err, remote.ErrNotRunning):
		fmt.Fprintln(cmd.ErrOrStderr(), "mcpproxy is not running: it takes effect when you start it with `mcpproxy start`.")
		return nil
	case err != nil:
		return err
	}
	if g.output != "table" {
		return g.print(cmd.OutOrStdout(), s, nil)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", term.Plain(s.Name), stateOf(s.Status))
	if s.State == upstream.Failed {
		return fmt.Errorf("%s: `mcpproxy upstream logs %s` may say more", term.Plain(s.Error), trust.Quote(name))
	}
	return nil
}

// settled waits for a server to be ready, failed or disabled.
func settled(ctx context.Context, c *remote.Client, name string, begun func(upstream.State) bool) (api.Server, error) {
	start := time.Now()
	for {
		select { // wait first, so that the daemon has noticed the change
		case <-ctx.Done():
			return api.Server{}, fmt.Errorf(
				"%s is not ready within %s; `mcpproxy upstream list` shows its state", name, settlePatience)
		case <-time.After(settleLook):
		}
		var all []api.Server
		if err := c.Get(ctx, "/api/v1/servers", nil, &all); err != nil {
			return api.Server{}, err
		}
		for _, s := range all {
			if s.Name == name && begun(s.State) && (s.State != upstream.Connecting || s.Login != "") {
				return s, nil
			}
		}
		if time.Since(start) > refusedPatience {
			if err := notTaken(ctx, c, name); err != nil {
				return api.Server{}, err
			}
		}
	}
}
