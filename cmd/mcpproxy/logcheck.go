package main

import (
	"context"
	"log/slog"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// maxChecked bounds the log that is checked whenever the daemon starts; a larger
// one takes too long for that, and waits for "mcpproxy activity verify".
const maxChecked = 100_000

// checkLog walks the chain of the activity log, and raises an alarm when it does
// not hold.
func (d *daemon) checkLog(ctx context.Context) {
	n, err := d.store.Count(ctx, ledger.Filter{})
	if err != nil || n > maxChecked {
		return
	}
	rep, err := d.store.Verify(ctx)
	if err != nil {
		if ctx.Err() == nil {
			slog.Warn("the activity log could not be checked", "error", err)
		}
		return
	}
	if rep.OK {
		return
	}
	slog.Error("the activity log was tampered with, or is damaged", "record", rep.BadID, "problem", rep.Problem, "look", "mcpproxy activity verify")
	r := systemRecord(mcpproxy.RecordSecurityScan, "", map[string]any{"record": rep.BadID, "problem": rep.Problem})
	r.Status, r.RiskLevel, r.RiskScore, r.Rule = mcpproxy.StatusError, mcpproxy.RiskCritical, 90, "activity"
	r.Metadata.Reason = "The activity log was tampered with, or is damaged: " + rep.Problem + ". `mcpproxy activity verify` says where."
	d.log.Add(r)
	d.log.tell(eventIntegrity, r)
}
