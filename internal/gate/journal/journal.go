package journal

import (
	"context"
	"log/slog"
	"time"

	"mcpproxy"
	"mcpproxy/internal/atrest"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/gate/inspect"
)

// Log stores records. Append returns when the record is on disk; Add may return earlier.
type Log interface {
	Append(ctx context.Context, r *mcpproxy.Record) error
	Add(r *mcpproxy.Record)
}

// Journal writes records of the gate to the log, and publishes events.
type Journal struct {
	log        Log
	publish    func(Event)
	names      placeholders
	rejections *tally[string]
	requests   *tally[RequestKind]
}

// New returns a journal. publish receives events and must not block; it may be nil.
func New(l Log, publish func(Event)) *Journal {
	if publish == nil {
		publish = func(Event) {}
	}
	return &Journal{
		log:        l,
		publish:    publish,
		rejections: newRejections(l.Add),
		requests:   newRequests(l.Add),
	}
}

// Entry holds the facts about one call when it is recorded.
type Entry struct {
	Seen    *inspect.Inspection // the facts about the call
	Verdict mcpproxy.Verdict    // the verdict so far
	Brought *Brought            // nil until there is a result

	Ruled       *mcpproxy.Ruled    // the policy's ruling; nil if the policy was not consulted
	Boundary    *mcpproxy.Boundary // what an answer about the call covers; nil if no rule asks
	Endpoint    string             // the suspicious endpoint for which the call is stopped
	Flagged     bool               // the call's risk score requires a review
	Refused     bool               // a person was asked and did not approve
	Spent       time.Duration      // time for inspecting the call and deciding about it
	MaxResponse int                // bytes of a result that are logged; 0 for all
	AtRest      *atrest.Sealer     // masks personal data in the record; nil if the record shows it
}

// Brought is a result with the findings in it.
type Brought struct {
	inspect.Reading
	Result   *mcpproxy.Result
	Redacted bool          // the agent gets a shorter error than the log
	Elapsed  time.Duration // time for the inspection
}

// hidden returns the secrets of a call and of its result: a result may repeat the call, and a call may repeat an
// earlier result.
func (e *Entry) hidden() []detect.Finding {
	if e.Brought == nil {
		return e.Seen.Hidden()
	}
	return append(e.Seen.Hidden(), e.Brought.Hidden()...)
}

// Begun publishes the beginning of a call. It includes the facts only for a call that is allowed, because the record
// of a stopped call must be on disk first.
func (j *Journal) Begun(e Entry) {
	if c := e.Seen.Call(); inspect.Logged(c) && c.Channel != mcpproxy.ChannelHook {
		j.publish(Event{EventStarted, &mcpproxy.Record{
			ID:         c.ID,
			Type:       mcpproxy.RecordToolCall,
			Source:     string(c.Channel),
			Timestamp:  c.Received.UTC(),
			SessionID:  c.Session,
			ServerName: c.Server,
			Decision:   e.Verdict.Decision,
			RiskLevel:  e.Verdict.RiskLevel,
		}})
	}
	if !e.Verdict.Decision.Stops() && e.alarming() {
		j.publish(Event{EventFlowAlert, e.sealed(e.Record())})
	}
}

// Stopped records a stopped call before the caller or a subscriber learns of it. It reports whether the log could be
// written.
func (j *Journal) Stopped(ctx context.Context, e Entry) (recorded bool) {
	r := e.Record()
	r.Type = mcpproxy.RecordPolicyDecision
	r.Status = mcpproxy.StatusBlocked
	r.ErrorMessage = r.Metadata.Reason
	if e.Refused {
		r.Status = mcpproxy.StatusRejected
	}
	r.Metadata.Sensitive = sensitive(e.Seen.Arguments())
	r = e.sealed(r)
	recorded = j.keep(ctx, r)
	j.alert(&e, r)
	j.completed(r, e.Verdict)
	return recorded
}

// Sent records a call that was sent, with its result. It returns false if the verdict stops the result and the log
// could not be written.
func (j *Journal) Sent(ctx context.Context, e Entry) (recorded bool) {
	v, got := e.Verdict, e.Brought
	if !inspect.Logged(e.Seen.Call()) && v.Decision == mcpproxy.Allow {
		return true
	}
	result := got.Result
	r := e.Record()
	r.DurationMS = float64(result.Duration) / float64(time.Millisecond)
	r.Metadata.Sensitive = sensitive(e.Seen.Arguments(), got.Reading)
	r.Metadata.ErrorRedacted = got.Redacted
	switch {
	case v.Decision.Stops():
		r.Status, r.ErrorMessage = mcpproxy.StatusRejected, r.Metadata.Reason
	case result.Err != nil:
		r.Status, r.ErrorMessage = mcpproxy.StatusError, errorMessage(result.Err, e.hidden())
	case result.IsError:
		r.Status = mcpproxy.StatusError
	}
	if got.Err == nil && result.Err == nil {
		r.Response, r.Truncated = e.response(nil)
	}
	r = e.sealed(r)
	recorded = true
	if v.Decision.Stops() {
		recorded = j.keep(ctx, r)
	} else {
		j.log.Add(r)
	}
	j.completed(r, v)
	return recorded
}

// keep writes the record of a stop to disk, and reports whether that succeeded.
func (j *Journal) keep(ctx context.Context, r *mcpproxy.Record) bool {
	// The record is written even if the caller is gone.
	if err := j.log.Append(context.WithoutCancel(ctx), r); err != nil {
		slog.Error("a stopped call could not be recorded", "id", r.ID, "error", err)
		return false
	}
	return true
}
