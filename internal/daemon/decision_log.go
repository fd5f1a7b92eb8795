package daemon

import (
	"context"
	"log/slog"
	"sync/atomic"

	"mcpproxy"
	"mcpproxy/internal/config"
)

// decisionLog logs one line for each decision about a call, without any content of the call. The
// record with the line's id has the details.
type decisionLog struct {
	least atomic.Int64 // slog.Level of security.tool_policy.log_level
}

// configure applies a changed, valid configuration.
func (d *decisionLog) configure(c *config.Config) {
	level := slog.LevelWarn
	_ = level.UnmarshalText([]byte(c.Security.ToolPolicy.LogLevel)) // an empty value keeps the level
	d.least.Store(int64(level))
}

// hear logs the record of a call: a denied call as an error, a call with a warning or a question as a warning, and any
// other decision at level info if the configuration asks for it, or else at level debug.
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
