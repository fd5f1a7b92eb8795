package daemon

import (
	"context"
	"log/slog"
	"time"

	"mcpproxy"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/ledger"
)

// breaksEvery is how often the daemon checks that its log is still at its path.
const breaksEvery = 5 * time.Second

// AcceptCommand is the command for an owner who removed or replaced a file on purpose.
const AcceptCommand = "mcpproxy activity verify --accept"

// reportBreaks reports files that were removed or replaced while the daemon did not run, until the
// owner has accepted it.
func (k *logManager) reportBreaks(ctx context.Context) {
	heads := k.store.Heads().Heads()
	for _, b := range heads.Breaks {
		slog.Warn(
			"a file of the data folder was removed or replaced",
			"file",
			b.File,
			"problem",
			b.Problem,
			"found",
			b.Found,
			"look",
			"mcpproxy activity verify",
			"accept",
			AcceptCommand,
		)
		if b.Record == "" {
			k.recordBreak(ctx, b)
		}
	}
}

// recordBreak records a break in the log and raises an alarm.
func (k *logManager) recordBreak(ctx context.Context, b ledger.Break) {
	r := breakRecord(b)
	if err := k.log.Append(ctx, r); err != nil {
		slog.Error(
			"the activity log could not record that a file was removed or replaced",
			"file",
			b.File,
			"error",
			err,
		)
	} else {
		k.store.Heads().Recorded(b, r.ID)
	}
	k.log.publishRecord(intake.EventIntegrity, r)
}

// breakRecord returns the record of a break.
func breakRecord(b ledger.Break) *mcpproxy.Record {
	r := SystemRecord(mcpproxy.RecordGap, "", map[string]any{"reason": b.Reason, "file": b.File, "problem": b.Problem})
	r.Status = mcpproxy.StatusError
	r.RiskLevel = mcpproxy.RiskCritical
	r.RiskScore = 90
	r.Rule = "activity"
	r.Metadata.Reason = "A file of the data folder was removed or replaced: " + b.Problem +
		". If that was you, run `" + AcceptCommand + "`."
	return r
}

// keepBreaks checks that the log is still at its path, until ctx ends or the check fails.
func (k *logManager) keepBreaks(ctx context.Context) {
	tick := time.NewTicker(breaksEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if k.moved(ctx) {
			return
		}
	}
}

// moved reports whether the log was removed or replaced while the daemon runs. It raises an alarm
// in that case.
func (k *logManager) moved(ctx context.Context) bool {
	why := k.store.Moved()
	if why == nil {
		return false
	}
	name := LogPlace(k.config()).Name()
	b := ledger.NewBreak(
		ledger.LogReplaced,
		name,
		"the activity log was removed or replaced while mcpproxy was running: its records are lost when it stops (%v)",
		why,
	)
	slog.Error("the activity log was removed or replaced while mcpproxy was running", "file", name, "error", why,
		"keep", "mcpproxy activity export --file log.json")
	k.store.Heads().Found(b)
	k.recordBreak(ctx, *b)
	return true
}
