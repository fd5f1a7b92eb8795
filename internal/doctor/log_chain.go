package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/backend"
	"mcpproxy/internal/ledger/verify"
)

// maxWalked is the size of the largest log whose chain doctor verifies, in bytes.
const maxWalked = 64 << 20

// checkChain verifies the hash chain of the log's records.
func checkChain(ctx context.Context, _ Installation, c *config.Config, f *Checkup) {
	result := Check{Section: "Activity log", Name: "chain"}
	place := daemon.LogPlace(c)
	if place.Database != "" {
		checkDatabase(ctx, place, f)
		return
	}
	info, err := os.Stat(c.LogPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err == nil && info.Size() > maxWalked:
		result.OK, result.Grade = true, GradeBetter
		result.Detail, result.Advice = fmt.Sprintf(
			"not checked: the log has %d MB",
			info.Size()>>20,
		), "run `mcpproxy activity verify`, which takes a while"
		f.add(result)
		return
	}
	v := verify.Log{Place: place, Whole: true}
	report, err := v.Walk(ctx)
	switch {
	case err != nil:
		result.Detail, result.Advice = err.Error(), "run `mcpproxy activity verify`"
	case report.Problem != "":
		result.Detail, result.Advice = fmt.Sprintf(
			"record %s is not valid: %s",
			report.BadID,
			report.Problem,
		), "somebody changed the log: compare it with an export, and keep a copy before anything else"
	default:
		result.OK, result.Detail = true, fmt.Sprintf("%d records are valid, up to %.16s", report.Records, report.Head)
	}
	f.add(result)
}

// checkDatabase verifies the chains in a database from the last checkpoints on. Verifying all
// records can take hours.
func checkDatabase(ctx context.Context, place backend.Place, f *Checkup) {
	result := Check{Section: "Activity log", Name: "chain"}
	report, err := sinceCheckpoint(ctx, place)
	switch {
	case backend.NoLog(err):
		return
	case err != nil:
		result.Detail, result.Advice = err.Error(), "make the database reachable, then run `mcpproxy activity verify`"
	case report.Problem != "":
		result.Detail = fmt.Sprintf("record %s is not valid: %s", report.BadID, report.Problem)
		result.Advice = "somebody changed the log: keep a copy of the database before anything else"
	default:
		result.OK = true
		result.Detail = fmt.Sprintf("%d records of %d gateways since their last checkpoints are valid", report.Records,
			len(report.Replicas))
	}
	f.add(result)
}

func sinceCheckpoint(ctx context.Context, place backend.Place) (ledger.Report, error) {
	store, err := verify.Log{Place: place, Whole: true}.Open(ctx)
	if err != nil {
		return ledger.Report{}, err
	}
	report, err := store.Check(ctx, ledger.Check{SinceCheckpoint: true})
	return report, errors.Join(err, store.Close())
}
