package approval

import (
	"time"

	"github.com/oklog/ulid/v2"

	"mcpproxy"
)

// Event reports a question or its answer to the log and to subscribers.
type Event struct {
	Name   string
	Record *mcpproxy.Record
}

// Events of the desk.
const (
	EventRequested = "approval.requested"
	EventResolved  = "approval.resolved"
)

// record returns the fields that both kinds of record have in common.
func (e *entry) record(decision mcpproxy.Decision, at time.Time) *mcpproxy.Record {
	return &mcpproxy.Record{
		Type:          mcpproxy.RecordApproval,
		Timestamp:     at,
		SessionID:     e.Session,
		FlowSessionID: e.FlowSession,
		Principal:     e.Principal,
		ServerName:    e.Server,
		ToolName:      e.ToolName,
		Status:        mcpproxy.StatusSuccess,
		Decision:      decision,
		Rule:          e.Rule,
		RiskScore:     e.RiskScore,
		RiskLevel:     e.RiskLevel,
		CoverageMode:  mcpproxy.CoverageProxyOnly,
		Metadata: mcpproxy.Metadata{
			Facts:    mcpproxy.Facts{Operation: e.Operation},
			Kind:     e.Kind,
			Reason:   e.Reason,
			Approval: e.ID,
			Boundary: e.Boundary,
			Agent:    e.Agent,
		},
	}
}

// requested returns the record of a question. The record has the request's id and refers to the
// call.
func (e *entry) requested() Event {
	r := e.record(mcpproxy.Ask, e.Asked)
	r.ID = e.ID
	r.ParentID = e.Activity
	r.Source = e.source
	r.Metadata.Detail = map[string]any{
		"request":           e.ID,
		"channel":           string(e.Channel),
		"expires":           e.Expires.Format(time.RFC3339),
		"arguments_sha256":  e.Arguments,
		"policy":            e.Policy,
		mcpproxy.DetailText: e.Text,
	}
	return Event{EventRequested, r}
}

// resolved returns the record of an answer. The record refers to the request.
func (e *entry) resolved(o Outcome, by, source, why string) Event {
	at := time.Now().UTC()
	r := e.record(mcpproxy.Deny, at)
	r.ID = ulid.Make().String()
	r.ParentID = e.ID
	r.Source = source
	r.DurationMS = float64(at.Sub(e.Asked)) / float64(time.Millisecond)
	if o == Approved {
		r.Decision = mcpproxy.Allow
	} else {
		r.Status, r.ErrorMessage = mcpproxy.StatusRejected, Answer{ID: e.ID, Outcome: o, Why: why}.Reason()
	}
	r.Metadata.Detail = map[string]any{
		"request": e.ID,
		"channel": string(e.Channel),
		"answer":  string(o),
		"by":      by,
		"expires": e.Expires.Format(time.RFC3339),
	}
	if o == Approved && e.span != "" {
		r.Metadata.Detail["for"] = string(e.span)
	}
	if why != "" {
		r.Metadata.Detail["why"] = why
	}
	return Event{EventResolved, r}
}
