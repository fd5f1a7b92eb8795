package gate

import (
	"slices"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// Event is something that happened at the gate, for those who watch. Its record
// is masked already.
type Event struct {
	Name   string
	Record *mcpproxy.Record
}

// The gate's events.
const (
	EventStarted        = "activity.tool_call.started"
	EventCompleted      = "activity.tool_call.completed"
	EventPolicyDecision = "activity.policy_decision"
	EventSensitive      = "sensitive_data.detected"
	EventFlowAlert      = "flow.alert"
	EventHook           = "activity.hook_evaluation.completed"
)

// announce publishes what Before found.
func (g *Gate) announce(p *Pass) {
	if c := p.Call; recorded(c.Kind) && c.Channel != mcpproxy.ChannelHook {
		g.publish(Event{EventStarted, &mcpproxy.Record{ID: c.ID, Type: mcpproxy.RecordToolCall, Source: string(c.Channel),
			Timestamp: c.Received.UTC(), SessionID: c.Session, ServerName: c.Server,
			Decision: p.Verdict.Decision, RiskLevel: p.Verdict.RiskLevel}})
	}
	if p.Verdict.Asked || p.flagged || p.Verdict.RiskLevel.Rank() >= mcpproxy.RiskHigh.Rank() && len(p.Verdict.Edges) > 0 {
		g.publish(Event{EventFlowAlert, g.record(p, p.Verdict)})
	}
}

// completed publishes the end of a call.
func (g *Gate) completed(r *mcpproxy.Record, v mcpproxy.Verdict) {
	g.publish(Event{EventCompleted, r})
	if v.Decision != mcpproxy.Allow {
		g.publish(Event{EventPolicyDecision, r})
	}
	if slices.ContainsFunc(v.Signals, mcpproxy.Signal.Sensitive) {
		g.publish(Event{EventSensitive, r})
	}
	if v.Rule == policy.RuleContent {
		g.publish(Event{EventFlowAlert, r})
	}
}
