package journal

import (
	"context"
	"slices"
	"time"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// Report is what a record says about the hook that told of a call.
type Report struct {
	Agent  string         // its dialect; "" for none in particular
	Event  string         // as the agent calls it
	Detail map[string]any // what else the record says; it may be nil
}

// Announced writes down what was decided about a call that a hook announces. It reports
// false when the verdict stops the call and the log could not be written.
func (j *Journal) Announced(ctx context.Context, e Entry, h Report) (recorded bool) {
	r := e.Record()
	r.Metadata.Sensitive = sensitive(e.Seen.Arguments())
	recorded = j.evaluated(ctx, r, e.Verdict, h)
	j.alert(&e, r)
	return recorded
}

// Observed writes down a call that its agent has made, with what it brought. It reports
// false when the verdict is a stop and the log could not be written.
func (j *Journal) Observed(ctx context.Context, e Entry, h Report) (recorded bool) {
	got := e.Brought
	r := e.Record()
	r.Metadata.Sensitive = sensitive(e.Seen.Arguments(), got.Reading)
	if got.Result.IsError {
		r.Status = mcpproxy.StatusError
	}
	if got.Err == nil {
		r.Response, r.Truncated = e.response()
	}
	recorded = j.evaluated(ctx, r, e.Verdict, h)
	if e.Verdict.Rule == policy.RuleContent {
		j.publish(Event{EventFlowAlert, r})
	}
	return recorded
}

// Notified records a hook event that brings nothing to inspect, such as the end of a session. It reports
// false when the verdict is a stop and the log could not be written.
func (j *Journal) Notified(ctx context.Context, e Entry, h Report) (recorded bool) {
	r := e.Record()
	if e.Verdict.Decision == mcpproxy.Warn {
		r.Status, r.ErrorMessage = mcpproxy.StatusError, r.Metadata.Reason
	}
	if e.Seen.Call().Tool == "" {
		r.Metadata.Classification = nil
		r.Metadata.Operation = ""
		r.Metadata.Kind = ""
	}
	return j.evaluated(ctx, r, e.Verdict, h)
}

// evaluated writes an evaluation down and publishes it. One that stops a call is durable
// before the agent hears of it.
func (j *Journal) evaluated(ctx context.Context, r *mcpproxy.Record, v mcpproxy.Verdict, h Report) (recorded bool) {
	r.Type = mcpproxy.RecordHookEvaluation
	r.DurationMS = float64(time.Since(r.Timestamp)) / float64(time.Millisecond)
	r.Metadata.Detail = h.Detail
	if r.Metadata.Detail == nil {
		r.Metadata.Detail = map[string]any{}
	}
	r.Metadata.Detail["agent"], r.Metadata.Detail["event"] = h.Agent, h.Event
	if v.Decision == mcpproxy.Deny {
		r.Status, r.ErrorMessage = mcpproxy.StatusBlocked, r.Metadata.Reason
	}
	recorded = true
	if v.Decision.Stops() {
		recorded = j.keep(ctx, r)
		j.publish(Event{EventPolicyDecision, r})
	} else {
		j.log.Add(r)
	}
	j.publish(Event{EventHook, r})
	if slices.ContainsFunc(v.Signals, mcpproxy.Signal.Sensitive) {
		j.publish(Event{EventSensitive, r})
	}
	return recorded
}
