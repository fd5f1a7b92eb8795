package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/exit"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/postgres"
	"mcpproxy/internal/remote"
	"mcpproxy/internal/token"
)

func hubCommand(g *globals) *cobra.Command {
	var listen, level string
	cmd := &cobra.Command{
		Use:   "hub",
		Short: "Collect the activity logs of other machines, and look at all of them",
		Args:  noSuchVerb,
		Long: `Starts a hub and stays until Ctrl-C: mcpproxy serve that also takes the activity logs of machines which were enrolled
with a token. It keeps them in the PostgreSQL database of activity.store, one hash chain for each machine. The page, the
API, the auditor's tools and mcpproxy activity see the records of all machines. Several hubs can work on one database.

A hub keeps records for activity.retention_days. It has no limit by number or size unless the file sets
activity.max_records or activity.max_size_mb to another value than that of a machine.

The other commands work on the database; the hub may run or not.`,
		Example: `  mcpproxy hub --config hub.json
  mcpproxy hub token create --config hub.json
  mcpproxy hub machines --config hub.json
  mcpproxy activity verify --config hub.json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := daemon.LogTo(cmd.ErrOrStderr(), level); err != nil {
				return err
			}
			if listen != "" {
				if err := config.CheckListen(listen); err != nil {
					return exit.With(exit.Config, err)
				}
			}
			flags := func(c *config.Config) {
				if listen != "" {
					c.Listen = listen
				}
				c.Hub = true
				unlimited(&c.Activity)
			}
			return daemon.Run(cmd.Context(), cmd.ErrOrStderr(), g.config, flags, nil)
		},
	}
	cmd.Flags().
		StringVar(&listen, "listen", os.Getenv("MCPPROXY_LISTEN"), "address to listen on, instead of the configured one")
	cmd.Flags().StringVar(&level, "log-level", "info", "debug, info, warn or error")
	cmd.AddCommand(hubToken(g), hubMachines(g), hubRevoke(g), hubNew(g), hubApprovals(g))
	return cmd
}

// unlimited removes the default limits of the log's size, which are meant for a single machine, unless the hub's
// configuration sets them. Activity.retention_days still limits the log of a hub.
func unlimited(a *config.Activity) {
	machine := config.Default().Activity
	if a.MaxRecords == machine.MaxRecords {
		a.MaxRecords = 0
	}
	if a.MaxSizeMB == machine.MaxSizeMB {
		a.MaxSizeMB = 0
	}
}

// askHub returns the result of a query to the database of the hub in the configuration. On a terminal it shows
// progress while it waits.
func askHub[T any](
	cmd *cobra.Command,
	g *globals,
	question func(context.Context, *postgres.Receiver) (T, error),
) (answer T, err error) {
	ctx := cmd.Context()
	c, err := remote.Config(g.config)
	if err != nil {
		return answer, err
	}
	defer term.Progress(cmd.ErrOrStderr(), "asking the database of the hub")()
	if err := c.ResolveLog(ctx); err != nil {
		return answer, err
	}
	if c.LogDatabase() == "" {
		return answer, exit.With(exit.Config, errors.New("this is not the configuration of a hub: activity.store must be a "+
			"PostgreSQL database; name the hub's configuration file with --config"))
	}
	store, err := postgres.OpenReceiver(ctx, c.LogDatabase())
	if err != nil {
		return answer, err
	}
	defer store.Close()
	return question(ctx, store)
}

func hubToken(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "token",
		Short:   "Make one-time tokens with which machines enroll",
		Args:    noSuchVerb,
		RunE:    help,
		Example: "  mcpproxy hub token create --note 'laptop of Ada'",
	}
	var note, expires string
	create := &cobra.Command{
		Use:   "create",
		Short: "Make a token with which one machine can enroll, and print it",
		Args:  noArguments,
		Long: `Makes a token and prints it. It cannot be printed again: the database keeps only its hash. One machine can enroll with it
until it expires.`,
		Example: `  mcpproxy hub token create
  mcpproxy hub token create --expires 12h --note 'laptop of Ada'`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			now := time.Now()
			until, err := token.ParseExpiry(expires, now)
			if err != nil {
				return fmt.Errorf("--expires: %w", err)
			}
			if until.IsZero() {
				return errors.New("--expires: an enrolment token must expire; give a time such as 24h")
			}
			secret, err := askHub(cmd, g, func(ctx context.Context, store *postgres.Receiver) (string, error) {
				return store.MakeToken(ctx, note, until.Sub(now))
			})
			if err != nil {
				return err
			}
			if g.output != "table" {
				return g.print(cmd.OutOrStdout(), map[string]any{"token": secret, "expires": until.UTC()}, nil)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), secret)
			return err
		},
	}
	create.Flags().StringVar(&note, "note", "", "what the token is for")
	create.Flags().StringVar(&expires, "expires", "24h", "when the token expires: 12h, 7d or 2027-01-31")
	cmd.AddCommand(create)
	return cmd
}

func hubRevoke(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke MACHINE",
		Short: "Stop taking records from a machine",
		Args:  cobra.ExactArgs(1),
		Long: `Ends the enrolment of a machine, which is named by its id or its name. The records that it has sent stay. It can enroll
again with a new token.`,
		Example: "  mcpproxy hub revoke laptop-17",
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := askHub(cmd, g, func(ctx context.Context, store *postgres.Receiver) (ledger.Machine, error) {
				return store.Revoke(ctx, args[0])
			})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "The hub accepts no more records from %s (%s).\n", term.Plain(m.Name), m.ID)
			return err
		},
	}
}
