package daemon

import (
	"context"
	"log/slog"

	"mcpproxy"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/ledger"
)

// maxChecked bounds the log that is checked as a whole whenever the daemon starts.
// Of a larger one only what came after its last signed checkpoint is: the rest takes
// too long for that, and waits for "mcpproxy activity verify".
const maxChecked = 100_000

// check walks the chain of the activity log, from its beginning when it has at
// most limit records, and raises an alarm when it is broken.
func (k *logKeeper) check(ctx context.Context, limit int) {
	k.tellBreaks(ctx)
	n, err := k.store.Count(ctx, ledger.Filter{})
	var rep ledger.Report
	if err == nil {
		rep, err = k.store.Check(ctx, ledger.Check{SinceCheckpoint: n > limit})
	}
	if err != nil {
		if ctx.Err() == nil {
			slog.Warn("the activity log could not be checked", "error", err)
		}
		return
	}
	if rep.OK && n > limit {
		slog.Info(
			"of the activity log, what came after the last checkpoint was checked; `mcpproxy activity verify` checks all of it",
			"records",
			n,
		)
	}
	if rep.OK {
		return
	}
	slog.Error(
		"the activity log was tampered with, or is damaged",
		"record",
		rep.BadID,
		"problem",
		rep.Problem,
		"look",
		"mcpproxy activity verify",
	)
	r := SystemRecord(mcpproxy.RecordSecurityScan, "", map[string]any{"record": rep.BadID, "problem": rep.Problem})
	r.Status = mcpproxy.StatusError
	r.RiskLevel = mcpproxy.RiskCritical
	r.RiskScore = 90
	r.Rule = "activity"
	r.Metadata.Reason = "The activity log was tampered with, or is damaged: " + rep.Problem + ". `mcpproxy activity verify` says where."
	k.log.Add(r)
	k.log.tell(intake.EventIntegrity, r)
}
