package journal

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

// alarming reports whether somebody should hear of what was found about the call.
func (e *Entry) alarming() bool {
	v := &e.Verdict
	return v.Asked || e.Flagged || v.RiskLevel.Rank() >= mcpproxy.RiskHigh.Rank() && len(v.Edges) > 0 ||
		slices.ContainsFunc(v.Signals, mcpproxy.Signal.Rapid)
}

// alert publishes the record of a call that was stopped, or that only a hook reported, if an
// alert is due.
func (j *Journal) alert(e *Entry, r *mcpproxy.Record) {
	if e.alarming() {
		j.publish(Event{EventFlowAlert, r})
	}
}

// completed publishes the end of a call.
func (j *Journal) completed(r *mcpproxy.Record, v mcpproxy.Verdict) {
	j.publish(Event{EventCompleted, r})
	if v.Decision != mcpproxy.Allow {
		j.publish(Event{EventPolicyDecision, r})
	}
	if slices.ContainsFunc(v.Signals, mcpproxy.Signal.Sensitive) {
		j.publish(Event{EventSensitive, r})
	}
	if v.Rule == policy.RuleContent {
		j.publish(Event{EventFlowAlert, r})
	}
}
