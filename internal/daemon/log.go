package daemon

import (
	"context"
	"log/slog"
	"os"

	"mcpproxy/internal/api"
	"mcpproxy/internal/atrest"
	"mcpproxy/internal/config"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/backend"
	"mcpproxy/internal/telemetry/metrics"
)

// activityLog is the activity log of a data folder: its file, the monitor that receives every
// record, and its maintenance.
type activityLog struct {
	store   ledger.Guarded
	monitor *monitor
	witness *logWitness // outside the data folder
	upkeep  *logManager
	sealer  *atrest.Sealer // of personal data in records
}

// LogPlace returns where the activity log of a configuration is. The configuration's references
// must be resolved.
func LogPlace(c *config.Config) backend.Place {
	return backend.Place{
		File:     c.LogPath(),
		Database: c.LogDatabase(),
		Data:     c.DataDir,
	}
}

// openLog opens the activity log of a configuration. Current returns the configuration in force;
// events receives records; known says which names may be metric labels.
func openLog(
	ctx context.Context,
	c *config.Config,
	current func() *config.Config,
	events *api.Events,
	known metrics.Known,
) (*activityLog, error) {
	store, err := LogPlace(c).Open(ctx)
	if err != nil {
		return nil, err
	}
	l := &activityLog{store: store, witness: newLogWitness(ctx, c, store), sealer: newSealer(c.DataDir)}
	l.monitor = newMonitor(c, ledger.NewLog(store), events, known)
	l.monitor.ledger.Watch(logWatch{l.monitor, func() bool { return current().Activity.DeniesOnFailure() }})
	l.upkeep = newLogManager(store, l.monitor, current)
	l.upkeep.configure(c)
	return l, nil
}

// configure follows a changed configuration.
func (l *activityLog) configure(c *config.Config) {
	l.monitor.configure(c)
	l.upkeep.configure(c)
}

// facts returns the state of the log for the API.
func (l *activityLog) facts(c *config.Config) api.LogFacts {
	facts := api.LogFacts{
		RetentionDays: c.Activity.RetentionDays,
		MaxRecords:    c.Activity.MaxRecords,
		MaxSizeMB:     c.Activity.MaxSizeMB,
		Lost:          l.monitor.ledger.Lost(),
		Failure:       l.monitor.failureFacts(c),
	}
	if doubt := l.upkeep.doubtful.Load(); doubt != nil {
		facts.AgeHeld = doubt.String()
	}
	if size, ok := l.store.(interface{ Bytes() int64 }); ok {
		facts.Bytes = size.Bytes()
		return facts
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(c.LogPath() + suffix); err == nil {
			facts.Bytes += info.Size()
		}
	}
	return facts
}

// close writes pending records, and stores outside the data folder where the log ends.
func (l *activityLog) close() {
	l.monitor.Close()
	l.witness.save()
	if err := l.store.Close(); err != nil {
		slog.Error("closing the activity log", "error", err)
	}
}
