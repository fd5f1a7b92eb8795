package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/postgres"
)

// fleetTime is the format of times in a table that is not written to a terminal.
const fleetTime = "2006-01-02 15:04:05"

func hubMachines(g *globals) *cobra.Command {
	var quiet time.Duration
	cmd := &cobra.Command{
		Use:   "machines",
		Short: "List the machines: which are quiet, and which version each runs",
		Args:  noArguments,
		Long: `Lists the machines that are enrolled, the one that has been quiet for the longest time first. A machine sends something
every 5 minutes, even if nothing happens on it. It is called quiet if it has sent no request for the time of --quiet.`,
		Example: `  mcpproxy hub machines
  mcpproxy hub machines --quiet 24h -o json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := askHub(cmd, g, func(ctx context.Context, store *postgres.Receiver) ([]ledger.Machine, error) {
				return store.Machines(ctx)
			})
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			t := &term.Table{Header: []string{"MACHINE", "NAME", "VERSION", "STATE", "LAST SEEN", "RECORDS"}}
			for _, m := range all {
				t.Add(m.ID, term.Plain(m.Name), term.Plain(m.Version), api.StateOf(m, quiet),
					term.When(w, m.Seen, fleetTime), fmt.Sprint(m.Records))
			}
			return g.print(w, all, t)
		},
	}
	cmd.Flags().DurationVar(&quiet, "quiet", api.QuietAfter, "after how long without a request a machine is called quiet")
	return cmd
}

func hubNew(g *globals) *cobra.Command {
	var since string
	cmd := &cobra.Command{
		Use:   "new",
		Short: "List the servers and tools that are new in the company",
		Args:  noArguments,
		Long:  `Lists the tools that were called since the time of --since and never before, as far as the hub's log goes back.`,
		Example: `  mcpproxy hub new
  mcpproxy hub new --since 24h`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			from, err := moment(since, time.Now())
			if err != nil {
				return fmt.Errorf("--since: %w", err)
			}
			all, err := askHub(cmd, g, func(ctx context.Context, store *postgres.Receiver) ([]ledger.Sighting, error) {
				return store.NewTools(ctx, from)
			})
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			t := &term.Table{Header: []string{"SERVER", "TOOL", "NEW", "FIRST", "BY", "MACHINES", "CALLS"}}
			for _, s := range all {
				what := "tool"
				if s.NewServer {
					what = "server"
				}
				first := term.When(w, s.First, fleetTime)
				t.Add(term.Plain(s.Server), term.Plain(s.Tool), what, first, term.Plain(s.By),
					fmt.Sprint(s.Machines), fmt.Sprint(s.Calls))
			}
			return g.print(w, all, t)
		},
	}
	cmd.Flags().StringVar(&since, "since", "7d", "from when: how long ago (7d, 12h), or an RFC 3339 `time`")
	return cmd
}

func hubApprovals(g *globals) *cobra.Command {
	var since string
	var least int
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "List the tools whose calls people approve often",
		Args:  noArguments,
		Long: `Lists the tools whose calls people approved at least --least times, with the rule that asked. They are candidates for the
approvals of the next bundle.`,
		Example: `  mcpproxy hub approvals
  mcpproxy hub approvals --since 30d --least 10`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			from, err := moment(since, time.Now())
			if err != nil {
				return fmt.Errorf("--since: %w", err)
			}
			repeated := func(ctx context.Context, store *postgres.Receiver) ([]ledger.Approvals, error) {
				return store.RepeatedApprovals(ctx, from, least)
			}
			all, err := askHub(cmd, g, repeated)
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			t := &term.Table{Header: []string{"SERVER", "TOOL", "RULE", "APPROVED", "MACHINES", "LAST"}}
			for _, a := range all {
				t.Add(term.Plain(a.Server), term.Plain(a.Tool), strings.TrimPrefix(term.Plain(a.Rule), "security."),
					fmt.Sprint(a.Approved), fmt.Sprint(a.Machines), term.When(w, a.Last, fleetTime))
			}
			return g.print(w, all, t)
		},
	}
	cmd.Flags().StringVar(&since, "since", "30d", "from when: how long ago (30d, 12h), or an RFC 3339 `time`")
	cmd.Flags().IntVar(&least, "least", 3, "how many approvals a tool needs to be listed")
	return cmd
}
