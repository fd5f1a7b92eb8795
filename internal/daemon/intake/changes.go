package intake

import (
	"log/slog"

	"mcpproxy"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/trust"
)

// Events of an intake.
const (
	EventQuarantine = "activity.quarantine_change"
	EventIntegrity  = "security.integrity_alert" // a trusted definition has changed or was found dangerous
)

// changeLog records changes of definitions in the activity log, and publishes them.
type changeLog struct{ deps Deps }

// changed records and publishes a change of state.
func (l changeLog) changed(changes []trust.Change) {
	for _, c := range changes {
		r := l.record(c)
		l.deps.Add(r)
		if c.Kind == trust.ProgramKind && suspect(c) {
			slog.Warn("the program of a server has changed", "server", c.Server, "reason", c.Reason, "held", c.Held,
				"look", trust.Command("diff", c.Key, c.Hash), "approve", trust.Command("approve", c.Key, c.Hash))
			l.deps.Tell(EventIntegrity, r)
			l.deps.Tell(EventQuarantine, r)
			continue
		}
		if c.To == trust.RugPull || c.Hard {
			look := "show"
			if c.To == trust.RugPull {
				look = "diff"
			}
			slog.Warn(
				"a definition is held",
				"definition",
				trust.Visible(c.Key.String()),
				"reason",
				c.Reason,
				"look",
				trust.Command(look, c.Key, c.Hash),
			)
			l.deps.Tell(EventIntegrity, r)
		}
		l.deps.Tell(EventQuarantine, r)
	}
}

// suspect reports whether a program has changed or became unreadable, without a person's decision.
func suspect(c trust.Change) bool {
	return c.To == trust.RugPull || c.To == trust.Unknown && c.From == trust.Approved && c.Before != ""
}

// record returns the log record of a change. Its texts are masked like those of calls, because a
// server chose them.
func (l changeLog) record(c trust.Change) *mcpproxy.Record {
	for i := range c.Diff {
		c.Diff[i].Before, c.Diff[i].After = l.deps.Mask(c.Diff[i].Before), l.deps.Mask(c.Diff[i].After)
	}
	r := l.deps.NewRecord(mcpproxy.RecordQuarantine, c.Server, map[string]any{
		"kind": c.Kind,
		"from": c.From,
		"to":   c.To,
		"by":   c.By,
	})
	r.Timestamp = c.Time
	r.ToolName = l.deps.Mask(trust.Visible(c.Name))
	r.Metadata.Reason = l.deps.Mask(c.Reason)
	detail := r.Metadata.Detail
	for name, value := range map[string]string{"hash": c.Hash, "approved_hash": c.Before} {
		if value != "" {
			detail[name] = value
		}
	}
	if len(c.Diff) > 0 {
		detail["diff"] = c.Diff
	}
	if c.Count > 0 {
		for i, n := range c.Names {
			c.Names[i] = l.deps.Mask(trust.Visible(n))
		}
		detail["definitions"], detail["names"] = c.Count, c.Names
	}
	switch {
	case c.Kind == trust.ProgramKind && suspect(c):
		r.Rule, r.Decision = policy.RuleQuarantine, mcpproxy.Warn
		r.RiskScore, r.RiskLevel = 60, mcpproxy.RiskHigh
		if c.Severe {
			r.RiskScore, r.RiskLevel = 90, mcpproxy.RiskCritical
		}
		if c.Held {
			r.Status, r.Decision = mcpproxy.StatusBlocked, mcpproxy.Deny
		}
	case c.To == trust.RugPull || c.Hard:
		r.Status = mcpproxy.StatusBlocked
		r.Decision = mcpproxy.Deny
		r.Rule = policy.RuleQuarantine
		r.RiskScore, r.RiskLevel = 90, mcpproxy.RiskCritical
	}
	return r
}
