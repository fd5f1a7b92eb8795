package daemon

import (
	"context"
	"log/slog"

	"mcpproxy"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/ledger"
)

// maxChecked is the maximum size of a log that is checked completely at each start. Of a larger log
// only the part after the last signed checkpoint is checked; "mcpproxy activity verify" checks the
// rest.
const maxChecked = 100_000

// check verifies the hash chain of the activity log and raises an alarm if it is broken. It starts
// at the beginning if the log has at most limit records.
func (k *logManager) check(ctx context.Context, limit int) {
	k.reportBreaks(ctx)
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
			"the activity log was checked from its last checkpoint on; `mcpproxy activity verify` checks all of it",
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
	k.log.publishRecord(intake.EventIntegrity, r)
}
