package journal

import (
	"context"
	"slices"
	"time"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// Report holds the facts about the hook that reported a call.
type Report struct {
	Agent  string         // the agent's hook dialect; "" if it is not known
	Event  string         // the agent's name for the event
	Detail map[string]any // further facts for the record; may be nil
}

// Announced records the decision about a call that a hook announces. It returns false if the verdict stops the call
// and the record could not be written.
func (j *Journal) Announced(ctx context.Context, e Entry, h Report) (recorded bool) {
	r := e.Record()
	r.Metadata.Sensitive = sensitive(e.Seen.Arguments())
	r, recorded = j.evaluated(ctx, &e, r, h)
	j.alert(&e, r)
	return recorded
}

// Observed records a call that its agent has made, with its result. It returns false if the verdict stops the agent
// and the record could not be written.
func (j *Journal) Observed(ctx context.Context, e Entry, h Report) (recorded bool) {
	got := e.Brought
	r := e.Record()
	r.Metadata.Sensitive = sensitive(e.Seen.Arguments(), got.Reading)
	if got.Result.IsError {
		r.Status = mcpproxy.StatusError
	}
	if got.Err == nil {
		r.Response, r.Truncated = e.response(nil)
	}
	r, recorded = j.evaluated(ctx, &e, r, h)
	if e.Verdict.Rule == policy.RuleContent {
		j.publish(Event{EventFlowAlert, r})
	}
	return recorded
}

// Notified records a hook event without a result, such as the end of a session. It returns false if the verdict stops
// the agent and the record could not be written.
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
	_, recorded = j.evaluated(ctx, &e, r, h)
	return recorded
}

// evaluated records an evaluation, publishes it, and returns the record that was written. If the verdict stops the
// agent, the record is on disk before the agent gets the answer.
func (j *Journal) evaluated(
	ctx context.Context, e *Entry, r *mcpproxy.Record, h Report,
) (written *mcpproxy.Record, recorded bool) {
	v := &e.Verdict
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
	r = e.sealed(r)
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
	return r, recorded
}
