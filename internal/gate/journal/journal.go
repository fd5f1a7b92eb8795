package journal

import (
	"context"
	"log/slog"
	"time"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/gate/inspect"
)

// Log keeps records. Append returns when the record is durable; Add may return
// before.
type Log interface {
	Append(ctx context.Context, r *mcpproxy.Record) error
	Add(r *mcpproxy.Record)
}

// Journal writes what happens at the gate into the log, and publishes it.
type Journal struct {
	log        Log
	publish    func(Event)
	names      placeholders
	rejections *tally[string]
	requests   *tally[RequestKind]
}

// New returns a journal. Publish receives events and must not block; it may be nil.
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
	Seen    *inspect.Inspection // what was found out about the call
	Verdict mcpproxy.Verdict    // so far
	Brought *Brought            // nil before there is a result

	Ruled       *mcpproxy.Ruled    // what the policy says; nil for a call that was not asked about
	Boundary    *mcpproxy.Boundary // what an answer about the call holds for; nil where no rule asks
	Endpoint    string             // the suspicious endpoint that the call is stopped for
	Flagged     bool               // the call's risk score is to be reviewed
	Refused     bool               // a person was to be asked, and did not agree
	Spent       time.Duration      // on inspecting the call and ruling about it
	MaxResponse int                // bytes of a result that are kept in the log; 0 for all
}

// Brought is a result, and what was read in it.
type Brought struct {
	inspect.Reading
	Result   *mcpproxy.Result
	Redacted bool          // the agent reads less of the error than the log
	Elapsed  time.Duration // of the inspection
}

// hidden are the secrets of a call and of what it has brought: a result may repeat the
// call, and a call an earlier result.
func (e *Entry) hidden() []detect.Finding {
	if e.Brought == nil {
		return e.Seen.Hidden()
	}
	return append(e.Seen.Hidden(), e.Brought.Hidden()...)
}

// Begun publishes that a call begins, with the facts about a call that is allowed. The record of
// a stopped call is on disk first.
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
		j.publish(Event{EventFlowAlert, e.Record()})
	}
}

// Stopped writes a stopped call down before the caller or anybody else hears of it, and
// reports whether the log could be written.
func (j *Journal) Stopped(ctx context.Context, e Entry) (recorded bool) {
	r := e.Record()
	r.Type = mcpproxy.RecordPolicyDecision
	r.Status = mcpproxy.StatusBlocked
	r.ErrorMessage = r.Metadata.Reason
	if e.Refused {
		r.Status = mcpproxy.StatusRejected
	}
	r.Metadata.Sensitive = sensitive(e.Seen.Arguments())
	recorded = j.keep(ctx, r)
	j.alert(&e, r)
	j.completed(r, e.Verdict)
	return recorded
}

// Sent writes a call down that was sent, with what it brought. It reports false when the
// verdict stops the result and the log could not be written.
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
		r.Response, r.Truncated = e.response()
	}
	recorded = true
	if v.Decision.Stops() {
		recorded = j.keep(ctx, r)
	} else {
		j.log.Add(r)
	}
	j.completed(r, v)
	return recorded
}

// keep writes the record of a verdict that stops something, durably, and reports whether
// that worked.
func (j *Journal) keep(ctx context.Context, r *mcpproxy.Record) bool {
	// The caller may be gone; the record is made all the same.
	if err := j.log.Append(context.WithoutCancel(ctx), r); err != nil {
		slog.Error("a stopped call could not be recorded", "id", r.ID, "error", err)
		return false
	}
	return true
}
