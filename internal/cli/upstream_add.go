package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/exit"
	"mcpproxy/internal/registry"
	"mcpproxy/internal/remote"
	"mcpproxy/internal/trust"
	"mcpproxy/internal/upstream"
)

// newServer holds the flags and arguments of upstream add.
type newServer struct {
	config.Server
	env, headers []string
	login        bool
	confine      string
	found        fromRegistry
}

func upstreamAdd(g *globals) *cobra.Command {
	n := &newServer{}
	cmd := &cobra.Command{
		Use:   "add NAME [--url URL | -- COMMAND ARGS…]",
		Short: "Add a server to the configuration, and show what it declares",
		Long: `Adds a server to the configuration file; the rest of the file stays as it is. A
running daemon connects at once. The command then shows what the server declares, which
waits for your approval: give it with one command, or, on a terminal, by one answer.

A NAME with a slash, such as io.github.owner/name or io.github.owner/name@1.2.3, is
looked up in the registry of MCP servers. Before it adds anything, the command shows
the package, pinned to its version, and the values that it needs. Give secrets as
references, so that none stands in the configuration.`,
		Example: `  mcpproxy upstream add files -- npx -y @modelcontextprotocol/server-filesystem /path/to/folder
  mcpproxy upstream add wiki --url https://wiki.example/mcp --header 'Authorization: Bearer ${env:WIKI_TOKEN}'
  mcpproxy upstream add tracker --url https://tracker.example/mcp --oauth
  mcpproxy upstream add github --env 'GITHUB_TOKEN=${keyring:github}' -- github-mcp-server stdio
  mcpproxy upstream add io.github.owner/weather --env 'API_KEY=${env:API_KEY}'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := n.read(cmd, args); err != nil {
				return err
			}
			if n.URL != "" || n.Command != "" || !strings.Contains(args[0], "/") {
				if err := n.found.refuse(cmd); err != nil {
					return err
				}
				return n.add(cmd, g)
			}
			if add, err := n.found.resolve(cmd, g, args[0], &n.Server); err != nil || !add {
				return err
			}
			return n.add(cmd, g)
		},
	}
	cmd.Flags().StringVar(&n.URL, "url", "", "address of an HTTP server")
	cmd.Flags().StringVar(&n.Protocol, "protocol", "", "stdio, http or sse; derived from the other flags when empty")
	cmd.Flags().BoolVar(&n.login, "oauth", false, "an HTTP server that you log in to: see mcpproxy upstream login")
	cmd.Flags().StringVar(&n.confine, "isolation", config.StandardProfile, isolationUsage)
	cmd.Flags().StringVar(&n.WorkingDir, "dir", "", "folder in which a program is started")
	cmd.Flags().StringArrayVar(&n.env, "env", nil, "NAME=VALUE for a program; may be repeated")
	cmd.Flags().StringArrayVar(&n.headers, "header", nil, "'NAME: VALUE' for an HTTP server; may be repeated")
	n.found.flags(cmd)
	return cmd
}

// read sets the server from the arguments and the flags.
func (n *newServer) read(cmd *cobra.Command, args []string) (err error) {
	switch dash := cmd.ArgsLenAtDash(); {
	case dash == 0:
		return errors.New("the server's name is missing: mcpproxy upstream add NAME -- COMMAND ARGS…")
	case n.URL != "" && len(args) > 1:
		return errors.New("say what the server is: an address (--url) or a program, not both")
	}
	n.Name = args[0]
	if len(args) > 1 {
		n.Command, n.Args = args[1], args[2:]
	}
	if n.Env, err = pairs("--env", n.env, "="); err != nil {
		return err
	}
	n.Headers, err = pairs("--header", n.headers, ":")
	return err
}

// add adds the server to the configuration file and waits for its definitions.
func (n *newServer) add(cmd *cobra.Command, g *globals) (err error) {
	if (n.URL == "") == (n.Command == "") {
		return errors.New("no server given: pass --url URL, or the program and its arguments after --")
	}
	if n.login {
		n.OAuth = &config.OAuth{}
	}
	if _, err := config.EnsureFile(g.config); err != nil {
		return err
	}
	if n.Isolation, err = newIsolation(n.confine, n.Command); err != nil {
		return err
	}
	if err := config.AddServer(g.config, n.Server); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s was added to %s.\n", n.Name, g.config)
	if n.Command != "" && n.Isolation == nil && n.confine != noIsolation {
		fmt.Fprintf(
			cmd.ErrOrStderr(),
			"%s is not confined: the service that %s talks to does whatever it is asked.\n",
			n.Name,
			n.Command,
		)
	}
	if floating := registry.Unpinned(n.Command, n.Args); floating != nil {
		fmt.Fprintf(
			cmd.ErrOrStderr(),
			"%s is not pinned: whoever publishes %s decides at each start which program runs. To name one version: %s\n",
			n.Name,
			term.Plain(floating.Package),
			term.Plain(floating.Pinned),
		)
	}
	return meet(cmd, g, n.Name)
}

func upstreamRemove(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME",
		Short:   "Remove a server from the configuration",
		Args:    cobra.ExactArgs(1),
		Long:    "Removes a server from the configuration file; the rest stays as it is. What was approved of it is remembered.",
		Example: "  mcpproxy upstream remove wiki",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := config.RemoveServer(g.config, args[0]); err != nil {
				return err
			}
			if g.output != "table" {
				return g.print(
					cmd.OutOrStdout(),
					map[string]any{"server": args[0], "removed": true, "file": g.config},
					nil,
				)
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%s is removed from %s.\n", args[0], g.config)
			rememberLogin(cmd.ErrOrStderr(), g.config, args[0])
			return nil
		},
	}
}

// pairs parses flags of the form NAME and VALUE.
func pairs(flag string, given []string, separator string) (map[string]string, error) {
	out := map[string]string{}
	for _, p := range given {
		name, value, ok := strings.Cut(p, separator)
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, fmt.Errorf("%s: %q has no %q between a name and a value", flag, p, separator)
		}
		out[name] = strings.TrimSpace(value)
	}
	return out, nil
}

// meetPatience is how long a new server may take to start and declare its definitions.
const meetPatience = 60 * time.Second

// emptyPatience is the time after which a ready server counts as declaring nothing.
const emptyPatience = 5 * time.Second

// meet waits until the daemon has read a new server's definitions, prints them, and asks on a
// terminal whether agents may use them.
func meet(cmd *cobra.Command, g *globals, server string) error {
	c, err := newClient(g)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), meetPatience)
	defer cancel()
	done := term.Progress(cmd.ErrOrStderr(), "waiting for "+server+" to say what it declares")
	tools, err := declares(ctx, c, server)
	done()
	switch {
	case errors.Is(err, remote.ErrNotRunning):
		fmt.Fprintln(cmd.ErrOrStderr(), "mcpproxy is not running: it connects when you start it with `mcpproxy serve`.")
		if g.output == "table" {
			return nil
		}
		return g.print(cmd.OutOrStdout(), []api.Tool{}, nil) // no definitions yet
	case errors.As(err, new(*loginWanted)):
		_, err = fmt.Fprintln(cmd.ErrOrStderr(), err)
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf(
			"the server %s has not said within %s what it declares: `mcpproxy upstream list` shows its state",
			server,
			meetPatience,
		)
	case err != nil:
		return err
	}
	if err := g.print(cmd.OutOrStdout(), tools, trustTable(tools)); err != nil {
		return err
	}
	waiting := 0
	for _, t := range tools {
		if t.Trust.State == trust.Quarantined {
			waiting++
		}
	}
	if waiting == 0 || g.output != "table" {
		return nil
	}
	fmt.Fprintf(
		cmd.ErrOrStderr(),
		"\n%d of %d wait for your approval; agents do not see them. To approve what the scan found nothing dangerous in:\n  mcpproxy trust baseline %s\n",
		waiting,
		len(tools),
		trust.Quote(server),
	)
	if !term.OnTerminal() {
		return nil
	}
	if agreed, err := term.AskerOf(cmd).Yes(cmd.Context(), "Approve now? "); err != nil || !agreed {
		return err
	}
	return approveSeen(cmd, g, server, tools)
}

// loginWanted is the error for a server that requires a login before it declares anything.
type loginWanted struct{ server, command string }

func (e *loginWanted) Error() string {
	return e.server + " wants you to log in; the next step is:\n  " + e.command
}

// refusedPatience is the time after which the daemon must have read the file with the new server or
// reported that the file is invalid.
const refusedPatience = time.Second

// notTaken returns why the daemon continues without the changed file.
func notTaken(ctx context.Context, c *remote.Client, server string) error {
	var st api.Overview
	if err := c.Get(ctx, "/api/v1/status", nil, &st); err != nil || st.ConfigError == "" {
		return err
	}
	return exit.With(
		exit.Config,
		fmt.Errorf("the running mcpproxy cannot use the file with %s in it: %s", server, term.Plain(st.ConfigError)))

}

// declares returns a server's definitions as soon as the daemon has read them.
func declares(ctx context.Context, c *remote.Client, server string) ([]api.Tool, error) {
	at := "/api/v1/servers/" + url.PathEscape(server)
	var ready time.Time
	begun := time.Now()
	for {
		var all []api.Server
		if err := c.Get(ctx, "/api/v1/servers", nil, &all); err != nil {
			return nil, err
		}
		if time.Since(begun) > refusedPatience {
			if err := notTaken(ctx, c, server); err != nil {
				return nil, err
			}
		}
		for _, s := range all {
			switch {
			case s.Name != server:
			case s.Login != "":
				return nil, &loginWanted{server, s.Login}
			case s.State == upstream.Failed:
				return nil, fmt.Errorf("%s: `mcpproxy upstream logs %s` may say more", s.Error, trust.Quote(server))
			case s.State == upstream.Ready:
				var tools []api.Tool
				if ready.IsZero() {
					ready = time.Now()
				}
				err := c.Get(ctx, at+"/tools", url.Values{"kind": {"all"}}, &tools)
				if err != nil || len(tools) > 0 || time.Since(ready) > emptyPatience {
					return tools, err
				}
			}
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// approveSeen approves the definitions in the form that was shown.
func approveSeen(cmd *cobra.Command, g *globals, server string, tools []api.Tool) error {
	var sum trust.Sweep
	for _, t := range tools {
		if t.Trust.State != trust.Quarantined ||
			slices.ContainsFunc(t.Trust.Findings, func(f trust.Finding) bool { return f.Hard }) {
			continue
		}
		d := api.Decision{Kind: t.Trust.Kind, Hash: t.Trust.Hash}
		if d.Kind != trust.Instructions {
			d.Tools = []string{t.Name}
		}
		one, err := decide(cmd.Context(), g, server, "approve", d)
		if err != nil {
			return err
		}
		sum.Approved, sum.Skipped = append(sum.Approved, one.Approved...), append(sum.Skipped, one.Skipped...)
	}
	return printSweep(cmd, g, sum)
}
