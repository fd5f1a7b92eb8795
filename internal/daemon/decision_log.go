package daemon

import (
	"context"
	"log/slog"
	"sync/atomic"

	"mcpproxy"
	"mcpproxy/internal/config"
)

// decisionLog writes a line of the daemon's log for each decision about a call, without
// anything that the call says: the record of that id has the rest.
type decisionLog struct {
	least atomic.Int64 // the slog.Level of security.tool_policy.log_level
}

// configure follows a changed configuration, which was checked.
func (d *decisionLog) configure(c *config.Config) {
	level := slog.LevelWarn
	_ = level.UnmarshalText([]byte(c.Security.ToolPolicy.LogLevel)) // it stays where nothing is said
	d.least.Store(int64(level))
}

// hear writes the line of a record about a call. A denied call is an error, one that was
// warned or asked about is a warning. What else was decided is told at the level info where
// the configuration wants that, and otherwise to whoever debugs.
func (d *decisionLog) hear(r *mcpproxy.Record) {
	level := slog.LevelDebug
	switch r.Decision {
	case "":
		return
	case mcpproxy.Deny:
		level = slog.LevelError
	case mcpproxy.Warn, mcpproxy.Ask, mcpproxy.Redact:
		level = slog.LevelWarn
	default:
		if slog.Level(d.least.Load()) <= slog.LevelInfo {
			level = slog.LevelInfo
		}
	}
	if level > slog.LevelDebug && level < slog.Level(d.least.Load()) {
		level = slog.LevelDebug
	}
	log := slog.Default()
	if !log.Enabled(context.Background(), level) {
		return
	}
	log.LogAttrs(context.Background(), level, "a call was decided",
		slog.String("activity", r.ID),
		slog.String("type", string(r.Type)),
		slog.String("server", r.ServerName),
		slog.String("tool", r.ToolName),
		slog.String("decision", string(r.Decision)),
		slog.String("rule", r.Rule),
		slog.String("status", string(r.Status)),
		slog.Int("risk", r.RiskScore),
		slog.Float64("duration_ms", r.DurationMS),
		slog.Float64("inspection_ms", r.Metadata.InspectionMS),
	)
}
