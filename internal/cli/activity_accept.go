package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"mcpproxy"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/exit"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/verify"
	"mcpproxy/internal/remote"
)

// acceptBreaks notes that the owner has removed or replaced files on purpose. From then on the
// current files are the reference.
func acceptBreaks(cmd *cobra.Command, g *globals, yes bool) (err error) {
	ctx, w := cmd.Context(), cmd.OutOrStdout()
	c, err := remote.Config(g.config)
	if err != nil {
		return err
	}
	if _, err := os.Stat(c.DataDir); err != nil {
		return fmt.Errorf("there is no data folder: %w", err)
	}
	unlock, err := daemon.Lock(filepath.Join(c.DataDir, "mcpproxy.lock"))
	if err != nil {
		return fmt.Errorf("%w: stop the daemon first, then run %s again", err, daemon.AcceptCommand)
	}
	defer unlock()
	if err := c.ResolveLog(ctx); err != nil {
		return err
	}
	place := daemon.LogPlace(c)
	store, err := place.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	heads := store.Heads().Heads()
	files, err := verify.FileBreaksIn(c.DataDir, &heads)
	if err != nil {
		return err
	}
	all := append(heads.Breaks, files...)
	gone, err := verify.WitnessBreak(ctx, place, store, all)
	if err != nil {
		return err
	}
	if gone != nil {
		all = append(all, *gone)
	}
	if len(all) == 0 {
		fmt.Fprintln(w, "There is nothing to accept: nothing was removed or replaced.")
		return nil
	}
	for _, b := range all {
		fmt.Fprintf(w, "%s.\n", term.Plain(b.Problem))
	}
	if err := sure(cmd, yes); err != nil {
		return err
	}
	if gone != nil {
		store.Heads().Found(gone)
	}
	if err := accept(ctx, c, store, all, files); err != nil {
		return err
	}
	fmt.Fprintln(w, "Accepted. The activity log has a record of it, and later checks compare with the present files.")
	return nil
}

// sure asks whether the user made the change and wants to keep it. If yes is set, it does not ask.
func sure(cmd *cobra.Command, yes bool) error {
	if yes {
		return nil
	}
	if !term.OnTerminal() {
		return errors.New("there is no terminal to ask on: if you made the change, add --yes")
	}
	said, err := term.AskerOf(cmd).Yes(cmd.Context(), "Did you do this, and do you want to keep it? ")
	if err != nil {
		return err
	}
	if !said {
		return exit.With(exit.General, errors.New("nothing was accepted: restore the files from a backup"))
	}
	return nil
}

// accept writes the record and updates the heads.
func accept(ctx context.Context, c *config.Config, store ledger.Guarded, all, files []ledger.Break) error {
	var problems []string
	for _, b := range all {
		problems = append(problems, b.Problem)
	}
	r := daemon.SystemRecord(mcpproxy.RecordGap, "", map[string]any{
		"reason":   all[0].Reason,
		"accepted": true,
		"problems": problems,
	})
	r.Source = "cli"
	r.Metadata.Reason = "The owner has accepted that files of the data folder were removed or replaced."
	if err := store.Append(ctx, []*mcpproxy.Record{r}); err != nil {
		return fmt.Errorf("the activity log cannot record this: %w", err)
	}
	var missing []ledger.Break
	for _, b := range files {
		raw, err := os.ReadFile(filepath.Join(c.DataDir, b.File))
		if err != nil {
			missing = append(missing, b)
			continue
		}
		store.Heads().Took(b.File, raw)
	}
	if err := store.Heads().Accept(missing, r.ID); err != nil {
		return err
	}
	if path := verify.WitnessPath(daemon.LogPlace(c).Folder()); path != "" {
		return store.Heads().SaveWitness(path, daemon.LogPlace(c).Folder())
	}
	return nil
}
