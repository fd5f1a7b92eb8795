package daemon

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"mcpproxy/internal/config"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ship"
)

// tidyEvery is how often the log is compared with its limits.
const tidyEvery = 5 * time.Minute

// logManager enforces the limits of the activity log. It raises an alarm if the log is damaged or no
// longer at its path.
type logManager struct {
	store  ledger.Guarded
	log    *monitor
	config func() *config.Config

	untidy   chan struct{}                // signals that the limits have changed
	doubtful atomic.Pointer[ledger.Doubt] // why no records are removed by age; nil if they are
}

func newLogManager(store ledger.Guarded, log *monitor, config func() *config.Config) *logManager {
	return &logManager{
		store:  store,
		log:    log,
		config: config,
		untidy: make(chan struct{}, 1),
	}
}

// keepTidy enforces the limits of the log until ctx ends. It applies a changed configuration at
// once.
func (k *logManager) keepTidy(ctx context.Context) {
	for next := time.Duration(0); ; next = tidyEvery {
		select {
		case <-ctx.Done():
			return
		case <-k.untidy:
		case <-time.After(next):
		}
		done, err := k.store.Tidy(ctx, time.Now(), tidyRules(ctx, k.config()))
		if err == nil {
			k.doubted(done.Doubt)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			slog.Error("the activity log could not be tidied up", "error", err)
		case done.Removed+done.Redacted > 0:
			slog.Info(
				"old records were removed from the activity log",
				"records",
				done.Removed,
				"redacted",
				done.Redacted,
				"bytes",
				done.Bytes,
			)
		}
	}
}

// doubted records whether old records are kept because the clock may be wrong.
func (k *logManager) doubted(now *ledger.Doubt) {
	before := k.doubtful.Swap(now)
	switch {
	case now != nil && before == nil:
		slog.Warn(
			"no record is removed by age for now: the clock may be wrong",
			"clock",
			now.Now,
			"last_in_use",
			now.Last,
		)
	case now == nil && before != nil:
		slog.Info("records are removed by age again")
	}
}

// configure applies new limits.
func (k *logManager) configure(c *config.Config) {
	k.log.ledger.SetDurable(c.Activity.Durability == "all")
	select {
	case k.untidy <- struct{}{}:
	default: // a check is already pending
	}
}

// tidyRules returns the rules of a configuration about which records the log keeps.
func tidyRules(ctx context.Context, c *config.Config) ledger.Rules {
	unsent, err := ship.UnsentOf(ctx, c.DataDir, c.Ship.Place(), int64(c.Ship.MaxUnsentMB)<<20)
	if err != nil {
		slog.Warn("it is unknown which records the hub or the bucket has; no records are removed while the log is smaller "+
			"than ship.max_unsent_mb", "error", err)
	}
	const day = 24 * time.Hour
	a := c.Activity
	return ledger.Rules{
		MaxAge:      time.Duration(a.RetentionDays) * day,
		MaxRecords:  a.MaxRecords,
		MaxBytes:    int64(a.MaxSizeMB) << 20,
		RedactAfter: time.Duration(c.Security.PIIDetection.AutoRedactAfterDays) * day,
		Unsent:      unsent,
	}
}
