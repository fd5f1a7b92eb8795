package journal

import (
	"strings"
	"time"

	"mcpproxy"
	"mcpproxy/internal/atrest"
	"mcpproxy/internal/gate/inspect"
)

// Limits of the records about calls that were refused before the policy could decide.
const (
	maxRejections   = 60          // of one principal within rejectionWindow
	rejectionWindow = time.Minute // after which a principal's count starts again
	maxRejectors    = 1024        // principals that are counted separately
	maxNamed        = 256         // bytes of a name or an id in the record of a refused call
	maxReason       = 1024        // bytes of the reason in that record
)

// newRejections returns a counter for the refused calls of each principal.
func newRejections(add func(*mcpproxy.Record)) *tally[string] {
	return &tally[string]{
		limit:  maxRejections,
		window: rejectionWindow,
		most:   maxRejectors,
		add: func(principal string, n leftOut) {
			r := n.record("%d more calls were refused between %s and %s; their records were left out")
			r.Principal = principal
			add(r)
		},
	}
}

// Admit reports whether another refused call of a principal is recorded. A principal whose calls are refused very
// often gets [maxRejections] records a minute, and one more with the number of calls that were left out.
func (j *Journal) Admit(principal string) bool { return j.rejections.admit(principal, time.Now()) }

// Reject records a call that was refused before the policy could decide. in masks its texts, since the call was not
// inspected, and by seals personal data in them.
func (j *Journal) Reject(in *inspect.Inspector, by *atrest.Sealer, call *mcpproxy.Call, reason string) {
	show := func(s string) string { return Mask(in, bounded(s, maxNamed)) }
	r := &mcpproxy.Record{
		ID:            call.ID,
		Type:          mcpproxy.RecordPolicyDecision,
		Source:        string(call.Channel),
		Timestamp:     call.Received.UTC(),
		SessionID:     show(call.Session),
		FlowSessionID: call.FlowSession,
		RequestID:     show(call.RequestID),
		ParentID:      call.ParentID,
		Principal:     call.Principal,
		ServerName:    show(call.Server),
		ToolName:      show(call.Tool),
		Status:        mcpproxy.StatusRejected,
		ErrorMessage:  Mask(in, bounded(reason, maxReason)),
		CoverageMode:  inspect.Coverage(call),
		TraceID:       call.Trace.ID,
		SpanID:        call.Trace.Span,
	}
	r.Metadata.Kind = call.Kind
	r.Metadata.Reason = r.ErrorMessage
	r.Metadata.ParentSpan = call.Trace.Parent
	r.Metadata.Agent = call.Agent.Recorded()
	r = Sealed(in, by, r)
	j.log.Add(r)
	j.publish(Event{EventCompleted, r})
}

// CloseRejections records how many refusals were left out so far. The daemon calls it when it stops.
func (j *Journal) CloseRejections() {
	j.rejections.flush()
	j.requests.flush()
}

// bounded returns at most n bytes of s, without cutting a character.
func bounded(s string, n int) string {
	if len(s) <= n {
		return strings.ToValidUTF8(s, "")
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
