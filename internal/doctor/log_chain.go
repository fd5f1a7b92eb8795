package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"mcpproxy/internal/config"
	"mcpproxy/internal/ledger/verify"
)

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
