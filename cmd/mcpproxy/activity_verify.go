package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/sqlite"
)

// verification is what verify is asked to do.
type verification struct {
	file  string
	keys  []string
	since bool
}

func activityVerify(g *globals) *cobra.Command {
	var v verification
	cmd := &cobra.Command{
		Use: "verify", Short: "Check that no record was changed, removed or inserted", Args: noArguments,
		Long: `Walks the hash chain of the activity log, holds every record, body and count against
it, and checks the signatures. Exits 1 and names the first bad record when something
does not agree. What retention removed, and what was redacted with age, is signed for
and is no fault. Works on the file itself; the daemon may run or not.`,
		Example: `  mcpproxy activity verify
  mcpproxy activity verify --file backup/activity.db --key elsewhere/ledger.pub`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if v.file == "" {
				c, err := clientConfig(g.config)
				if err != nil {
					return err
				}
				v.file = c.LogPath()
			}
			return v.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), g)
		},
	}
	cmd.Flags().StringVar(&v.file, "file", "", "log to verify (default: that of the configuration)")
	cmd.Flags().StringArrayVar(&v.keys, "key", nil, "public key to hold the signatures against (default: ledger.pub beside the log)")
	cmd.Flags().BoolVar(&v.since, "since-checkpoint", false, "check only what came after the last signed checkpoint")
	return cmd
}

func (v verification) run(ctx context.Context, w, progress io.Writer, g *globals) error {
	store, err := v.open(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	how := sqlite.Check{SinceCheckpoint: v.since}
	if f, ok := progress.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		how.Progress = func(done, all int64) { fmt.Fprintf(progress, "\r%d of %d records", done, all) }
	}
	rep, err := store.Check(ctx, how)
	if how.Progress != nil {
		fmt.Fprint(progress, "\r\x1b[K")
	}
	if err != nil {
		return err
	}
	t := &table{header: []string{"RECORDS", "CHAIN", "REDACTED", "REMOVED WITH AGE", "KEY", "HEAD"}}
	t.add(fmt.Sprint(rep.Records), map[bool]string{true: "holds", false: "BROKEN"}[rep.OK], fmt.Sprint(rep.Redacted), fmt.Sprint(rep.Removed), rep.Key, rep.Head)
	if err := g.print(w, rep, t); err != nil {
		return err
	}
	if rep.OK {
		return nil
	}
	if rep.BadID == "" {
		return &exitError{exitGeneral, errors.New(rep.Problem)}
	}
	return &exitError{exitGeneral, fmt.Errorf("record %s: %s", plain(rep.BadID), rep.Problem)}
}

// open opens the log to read it. One of an older version is converted first.
func (v verification) open(ctx context.Context) (*sqlite.Store, error) {
	if _, err := os.Stat(v.file); err != nil {
		return nil, fmt.Errorf("there is no activity log: %w", err)
	}
	files := v.keys
	if len(files) == 0 {
		files = []string{filepath.Join(filepath.Dir(v.file), ledger.PublicFile)}
	}
	var keys ledger.Keys
	var missing error
	for _, f := range files {
		more, err := ledger.ReadKeys(f)
		if err != nil {
			missing = fmt.Errorf("%w; name another with --key", err)
		}
		keys = append(keys, more...)
	}
	store, err := sqlite.OpenReader(ctx, v.file, keys)
	if errors.Is(err, sqlite.ErrOldLog) {
		if len(v.keys) > 0 { // converting signs it with a key of its own
			return nil, fmt.Errorf("%w: it was never signed, so no --key fits it", err)
		}
		return sqlite.Open(ctx, v.file)
	}
	if err == nil && missing != nil {
		store.Close()
		return nil, missing
	}
	return store, err
}
