package journal

import (
	"slices"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// Event is an event at the gate for subscribers. Its record is masked.
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

// alarming reports whether the findings about the call require an alert.
func (e *Entry) alarming() bool {
	v := &e.Verdict
	return v.Asked || e.Flagged || v.RiskLevel.Rank() >= mcpproxy.RiskHigh.Rank() && len(v.Edges) > 0 ||
		slices.ContainsFunc(v.Signals, mcpproxy.Signal.Rapid)
}

// alert publishes the record of a call that was stopped, or that only a hook reported, if an alert is required.
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
