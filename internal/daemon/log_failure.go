package daemon

import (
	"log/slog"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/policy"
)

// logWatch publishes whether records are written or lost.
type logWatch struct {
	*monitor
	denies func() bool // whether calls are denied while the log fails
}

// Written counts records that were written.
func (w logWatch) Written(records []*mcpproxy.Record) {
	for _, r := range records {
		w.calls.Written(r)
	}
}

// Failed raises an alarm. It names the gap record that will be written once the log works again.
func (w logWatch) Failed(f ledger.Failure) {
	facts := api.LogFailure{Denies: w.denies()}
	slog.Error("THE ACTIVITY LOG CANNOT BE WRITTEN: "+facts.Consequence(), "error", f.Err, "look", "mcpproxy doctor")
	r := mcpproxy.Gap{
		Reason: mcpproxy.GapLogFailure,
		From:   f.Since,
		To:     f.Since,
		Lost:   f.Lost,
	}.Record(f.ID)
	r.Rule = policy.RuleLog
	r.RiskLevel = mcpproxy.RiskCritical
	r.RiskScore = 90
	r.Metadata.Reason = "The activity log cannot be written: " + f.Err.Error() + "; " + facts.Consequence() +
		". `mcpproxy doctor` says more."
	w.publishRecord(intake.EventIntegrity, r)
}

// Recovered passes the gap record to collectors, like every record.
func (w logWatch) Recovered(gap *mcpproxy.Record) { w.exports.Hear(gap) }

// failure returns why the activity log cannot be written, or nil.
func (m *monitor) failure() error {
	if f := m.ledger.Failure(); f != nil {
		return f.Err
	}
	return nil
}

// failureFacts returns the state of a log that cannot be written, or nil.
func (m *monitor) failureFacts(c *config.Config) *api.LogFailure {
	f := m.ledger.Failure()
	if f == nil {
		return nil
	}
	return &api.LogFailure{
		Since:  f.Since.UTC(),
		Lost:   f.Lost,
		Error:  f.Err.Error(),
		Denies: c.Activity.DeniesOnFailure(),
	}
}
