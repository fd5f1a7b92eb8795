package daemon

import (
	"context"

	"mcpproxy"
	"mcpproxy/internal/approval"
	"mcpproxy/internal/atrest"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/ledger/postgres"
)

// followOthers publishes events about the records that other gateways write to the same log, so that the page
// shows them as they happen. It sends no alerts: the gateway that wrote a record sends those.
func (l *activityLog) followOthers(ctx context.Context) {
	store, ok := l.store.(*postgres.Store)
	if !ok {
		return
	}
	store.Follow(ctx, l.monitor.events.Followed, func(r *mcpproxy.Record) {
		for _, name := range eventsOf(r) {
			l.monitor.events.Publish(name, *atrest.Mask(r.Bare()))
		}
	})
}

// eventsOf returns the events that the gateway which wrote a record has published about it.
func eventsOf(r *mcpproxy.Record) []string {
	var out []string
	switch r.Type {
	case mcpproxy.RecordToolCall:
		out = append(out, journal.EventCompleted)
	case mcpproxy.RecordHookEvaluation:
		out = append(out, journal.EventHook)
	case mcpproxy.RecordQuarantine:
		return []string{intake.EventQuarantine}
	case mcpproxy.RecordFlowSummary:
		return []string{"activity.flow_summary.completed"}
	case mcpproxy.RecordPolicyDecision:
		return []string{journal.EventPolicyDecision}
	case mcpproxy.RecordGap:
		return []string{intake.EventIntegrity}
	case mcpproxy.RecordApproval:
		if r.Decision == mcpproxy.Ask {
			return []string{approval.EventRequested}
		}
		return []string{approval.EventResolved}
	default:
		return nil
	}
	if r.Decision != "" && r.Decision != mcpproxy.Allow {
		out = append(out, journal.EventPolicyDecision)
	}
	if s := r.Metadata.Sensitive; s != nil && s.Detected {
		out = append(out, journal.EventSensitive)
	}
	return out
}
