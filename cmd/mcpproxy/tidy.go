package main

import (
	"context"
	"log/slog"
	"time"

	"mcpproxy/internal/config"
	"mcpproxy/internal/ledger"
)

// tidyEvery is how often the log is held against its bounds.
const tidyEvery = 5 * time.Minute

// keepTidy keeps the log within its bounds until ctx ends. A changed configuration
// is looked at at once.
func (d *daemon) keepTidy(ctx context.Context) {
	for next := time.Duration(0); ; next = tidyEvery {
		select {
		case <-ctx.Done():
			return
		case <-d.untidy:
		case <-time.After(next):
		}
		done, err := d.store.Tidy(ctx, time.Now(), tidyRules(d.config.Load()))
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			slog.Error("the activity log could not be tidied up", "error", err)
		case done.Removed+done.Redacted > 0:
			slog.Info("old records were removed from the activity log", "records", done.Removed, "redacted", done.Redacted, "bytes", done.Bytes)
		}
	}
}

// configureLog applies a new configuration to the log.
func (d *daemon) configureLog(c *config.Config) {
	d.log.ledger.SetDurable(c.Activity.Durability == "all")
	select {
	case d.untidy <- struct{}{}:
	default: // it is about to be looked at anyway
	}
}

// tidyRules is what configuration means to what is kept of the log.
func tidyRules(c *config.Config) ledger.Rules {
	const day = 24 * time.Hour
	a := c.Activity
	return ledger.Rules{MaxAge: time.Duration(a.RetentionDays) * day, MaxRecords: a.MaxRecords, MaxBytes: int64(a.MaxSizeMB) << 20,
		RedactAfter: time.Duration(c.Security.PIIDetection.AutoRedactAfterDays) * day}
}
