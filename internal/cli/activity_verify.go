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
		Long: `Walks the hash chain of the activity log, holds every record, body and count against
it, and checks the signatures. Exits 1 and names the first bad record when something
does not agree. What retention removed, and what was redacted with age, is signed for
and is not a fault. Works on the file itself; the daemon may run or not.

Holds the log and trust.json against heads.json, too, and exits 1 when one of them was
removed or replaced. If that was you, --accept writes down that it was, and goes on from
what is there now; the daemon must not run then.`,
		Example: `  mcpproxy activity verify
  mcpproxy activity verify --accept
  mcpproxy activity verify --file backup/activity.db --key elsewhere/ledger.pub`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case accept && (v.File != "" || len(v.Keys) > 0 || since):
				return errors.New(
					"--accept goes with --yes alone: it accepts what happened to the log of the configuration",
				)
			case accept:
				return acceptBreaks(cmd, g, yes)
			case yes:
				return errors.New("--yes goes with --accept")
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
		StringArrayVar(&v.Keys, "key", nil, "public key to hold the signatures against (default: ledger.pub beside the log)")
	cmd.Flags().BoolVar(&since, "since-checkpoint", false, "check only what came after the last signed checkpoint")
	cmd.Flags().
		BoolVar(&accept, "accept", false, "accept that the log or trust.json was removed or replaced: you did it")
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
			"Note: the log has %s, which it says itself. In the last, %s.\n`mcpproxy activity list --type gap` lists them.\n",
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
