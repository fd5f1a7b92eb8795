package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/ledger/verify"
)

// checkLog says whether the activity log can be written.
func checkLog(_ context.Context, _ Installation, c *config.Config, f *Checkup) {
	result := Check{
		Section: "Activity log",
		Name:    "writable",
		OK:      true,
		Detail:  c.LogPath(),
	}
	log, err := os.OpenFile(c.LogPath(), os.O_WRONLY, 0)
	if err == nil {
		err = log.Close()
	} else if errors.Is(err, os.ErrNotExist) {
		err = canMake(c.DataDir)
	}
	if err != nil {
		result.OK = false
		result.Detail = err.Error()
		result.Advice = "give your user the right to write to " + c.DataDir + ", or set another data_dir"
	}
	f.add(result)
}

// canMake reports why no file can be made in a folder, which may be still to make.
func canMake(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) && filepath.Dir(dir) != dir {
		return canMake(filepath.Dir(dir))
	}
	file, err := os.CreateTemp(dir, ".mcpproxy-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// maxWalked is the size of the largest log whose chain doctor walks, in bytes.
const maxWalked = 64 << 20

// checkChain walks the chain of the log's records.
func checkChain(ctx context.Context, _ Installation, c *config.Config, f *Checkup) {
	result := Check{Section: "Activity log", Name: "chain"}
	info, err := os.Stat(c.LogPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err == nil && info.Size() > maxWalked:
		result.OK, result.Grade = true, GradeBetter
		result.Detail, result.Advice = fmt.Sprintf(
			"not looked at: the log has %d MB",
			info.Size()>>20,
		), "run `mcpproxy activity verify`, which takes a while"
		f.add(result)
		return
	}
	v := verify.Log{File: c.LogPath(), Whole: true}
	report, err := v.Walk(ctx)
	switch {
	case err != nil:
		result.Detail, result.Advice = err.Error(), "run `mcpproxy activity verify`"
	case report.Problem != "":
		result.Detail, result.Advice = fmt.Sprintf(
			"record %s does not hold: %s",
			report.BadID,
			report.Problem,
		), "somebody changed the log: compare it with an export, and keep a copy before anything else"
	default:
		result.OK, result.Detail = true, fmt.Sprintf("%d records hold, up to %.16s", report.Records, report.Head)
	}
	f.add(result)
}

// checkBreaks holds the log and the file of approvals against the heads file.
func checkBreaks(ctx context.Context, _ Installation, c *config.Config, f *Checkup) {
	v := verify.Log{File: c.LogPath(), Whole: true}
	found, err := v.AllBreaks(ctx)
	result := Check{
		Section: "Activity log",
		Name:    "heads",
		OK:      true,
		Detail:  "neither the log nor " + intake.File + " was removed or replaced",
	}
	switch {
	case err != nil:
		result.OK = false
		result.Detail = err.Error()
		result.Advice = "run `mcpproxy activity verify`"
	case found == nil:
		return // there is nothing yet
	}
	for _, b := range found {
		f.add(Check{
			Section: "Activity log",
			Name:    "heads",
			Detail:  b.Problem,
			Advice:  "put a backup in its place; if that was you, stop the daemon and run `" + daemon.AcceptCommand + "`",
		})
	}
	if err != nil || len(found) == 0 {
		f.add(result)
	}
}
