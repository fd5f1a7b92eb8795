package doctor

import (
	"context"

	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/ledger/verify"
)

// checkBreaks compares the log and the file of approvals with the heads file.
func checkBreaks(ctx context.Context, _ Installation, c *config.Config, f *Checkup) {
	v := verify.Log{Place: daemon.LogPlace(c), Whole: true}
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
		return // no log exists yet
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
