package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/exit"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/verify"
	"mcpproxy/internal/remote"
)

// verified is the result of verify, for programs.
type verified struct {
	ledger.Report
	Breaks   []ledger.Break `json:"breaks,omitempty"`   // removed or replaced files
	Accepted []ledger.Break `json:"accepted,omitempty"` // those that the owner has accepted
}

func activityVerify(g *globals) *cobra.Command {
	var v verify.Log
	var since, accept, yes bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check that no record was changed, removed or inserted",
		Args:  noArguments,
		Long: `Walks the hash chain of the activity log, compares every record, body and count with
it, and checks the signatures. Exits 1 and names the first bad record if something does
not match. Records that retention removed and bodies that were redacted by age are
covered by signatures, so they are not errors. Reads the file itself, whether the daemon
runs or not.

Also compares the log and trust.json with heads.json, and exits 1 if one of them was
removed or replaced. If you did that, --accept records it, and later checks go on from
the present files; stop the daemon first.`,
		Example: `  mcpproxy activity verify
  mcpproxy activity verify --accept
  mcpproxy activity verify --file backup/activity.db --key elsewhere/ledger.pub`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case accept && (v.File != "" || len(v.Keys) > 0 || since):
				return errors.New(
					"--accept can be combined with --yes only: it accepts a change of the configured log",
				)
			case accept:
				return acceptBreaks(cmd, g, yes)
			case yes:
				return errors.New("--yes needs --accept")
			}
			if v.File == "" {
				c, err := remote.Config(g.config)
				if err != nil {
					return err
				}
				if err := c.ResolveLog(cmd.Context()); err != nil {
					return err
				}
				v.Place, v.Whole = daemon.LogPlace(c), true
			}
			return runVerify(cmd, g, v, since)
		},
	}
	cmd.Flags().StringVar(&v.File, "file", "", "log to verify (default: that of the configuration)")
	cmd.Flags().
		StringArrayVar(&v.Keys, "key", nil, "public key to check the signatures with (default: ledger.pub beside the log)")
	cmd.Flags().BoolVar(&since, "since-checkpoint", false, "check only what came after the last signed checkpoint")
	cmd.Flags().
		BoolVar(&accept, "accept", false, "record that you removed or replaced the log or trust.json, and go on from the present files")
	cmd.Flags().BoolVar(&yes, "yes", false, "with --accept: do not ask")
	return cmd
}

// runVerify verifies a log and prints the result. If since is set, it begins after the last
// checkpoint.
func runVerify(cmd *cobra.Command, g *globals, v verify.Log, since bool) error {
	ctx := cmd.Context()
	w, progress := cmd.OutOrStdout(), cmd.ErrOrStderr()
	store, err := v.Open(ctx)
	if err != nil {
		return gone(v, err)
	}
	defer store.Close()
	how := ledger.Check{SinceCheckpoint: since}
	if f, ok := progress.(*os.File); ok && term.IsTerminal(f) {
		how.Progress = func(done, all int64) { fmt.Fprintf(progress, "\r%d of %d records", done, all) }
	}
	var rep verified
	rep.Report, err = store.Check(ctx, how)
	if how.Progress != nil {
		fmt.Fprint(progress, "\r\x1b[K")
	}
	if err != nil {
		return err
	}
	if rep.Breaks, rep.Accepted, err = v.Breaks(ctx, store); err != nil {
		return err
	}
	chain := "holds"
	if !rep.OK {
		chain = "BROKEN"
	}
	rep.OK = rep.OK && len(rep.Breaks) == 0
	t := &term.Table{Header: []string{"RECORDS", "CHAIN", "REDACTED", "REMOVED WITH AGE", "KEY", "HEAD"}}
	t.Add(fmt.Sprint(rep.Records), chain, fmt.Sprint(rep.Redacted), fmt.Sprint(rep.Removed), rep.Key, rep.Head)
	if err := g.print(w, rep, t); err != nil {
		return err
	}
	if len(rep.Replicas) > 0 && g.output == "table" {
		if err := printReplicas(w, rep.Replicas); err != nil {
			return err
		}
	}
	if rep.LastGap != nil && g.output == "table" {
		fmt.Fprintf(
			w,
			"Note: the log itself reports %s. In the last one, %s.\n`mcpproxy activity list --type gap` lists them.\n",
			term.Plural(rep.Gaps, "gap"),
			rep.LastGap,
		)
	}
	if g.output == "table" {
		for _, b := range rep.Accepted {
			fmt.Fprintf(w, "Accepted on %s: %s.\n", ledger.At(b.Accepted), term.Plain(b.Problem))
		}
	}
	return rep.err()
}

// printReplicas prints the chains of the gateways that share a log.
func printReplicas(w io.Writer, all []ledger.ReplicaReport) error {
	t := &term.Table{Header: []string{"GATEWAY", "HOST", "RECORDS", "REMOVED WITH AGE", "LAST WRITTEN", "HEAD"}}
	for _, r := range all {
		t.Add(r.Writer, term.Plain(r.Host), fmt.Sprint(r.Records), fmt.Sprint(r.Removed), ledger.At(r.Last), r.Head)
	}
	return t.Write(w)
}

// err returns the error for a damaged log, or nil.
func (v *verified) err() error {
	switch {
	case v.Problem != "" && v.BadID == "":
		return exit.With(exit.General, errors.New(v.Problem))
	case v.Problem != "":
		return exit.With(exit.General, fmt.Errorf("record %s: %s", term.Plain(v.BadID), v.Problem))
	case len(v.Breaks) > 0:
		var problems []string
		for _, b := range v.Breaks {
			problems = append(problems, term.Plain(b.Problem))
		}
		err := fmt.Errorf("%s. If that was you, run: %s", strings.Join(problems, "; "), daemon.AcceptCommand)
		return exit.With(exit.General, err)
	}
	return nil
}

// gone returns the break of a log that cannot be opened but existed earlier.
func gone(v verify.Log, err error) error {
	b := v.Removed(err)
	if b == nil {
		return err
	}
	return exit.With(exit.General, fmt.Errorf("%w: %s. If that was you, run: %s", err, term.Plain(b.Problem), daemon.AcceptCommand))
}
