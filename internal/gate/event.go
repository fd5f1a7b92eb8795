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

// announce publishes that a call begins, and what Before found about one that goes
// on. What is said of a stop is on disk first.
func (g *Gate) announce(p *Pass) {
	if c := p.Call; recorded(c.Kind) && c.Channel != mcpproxy.ChannelHook {
		g.publish(Event{EventStarted, &mcpproxy.Record{ID: c.ID, Type: mcpproxy.RecordToolCall, Source: string(c.Channel),
			Timestamp: c.Received.UTC(), SessionID: c.Session, ServerName: c.Server,
			Decision: p.Verdict.Decision, RiskLevel: p.Verdict.RiskLevel}})
	}
	if !p.Stopped() && p.alarming() {
		g.publish(Event{EventFlowAlert, g.record(p, p.Verdict)})
	}
}

// alarming reports whether somebody should hear of what Before found.
func (p *Pass) alarming() bool {
	v := &p.Verdict
	return v.Asked || p.flagged || v.RiskLevel.Rank() >= mcpproxy.RiskHigh.Rank() && len(v.Edges) > 0
}

// alert publishes the record of a call that was stopped, or of which a hook told, where
// somebody should hear of it.
func (g *Gate) alert(p *Pass, r *mcpproxy.Record) {
	if p.alarming() {
		g.publish(Event{EventFlowAlert, r})
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
