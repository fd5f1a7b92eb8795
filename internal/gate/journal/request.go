package journal

import (
	"time"

	"github.com/oklog/ulid/v2"

	"mcpproxy"
)

// Bounds of the records about requests that were refused for who sent them.
const (
	requestWindow  = 5 * time.Minute // in which requests of one kind get one record, and one that counts the others
	maxRequestKind = 64              // kinds that are counted apart
)

// RefusedRequest is an HTTP request that was refused for who sent it. Nothing in it is
// the sender's own text: a key may stand anywhere in a request.
type RefusedRequest struct {
	Source  string // record source: mcp, hook or api
	Method  string
	Surface string // what was asked for, such as "the REST API"
	Process string // that sent it; "" if unknown
}

// RequestKind holds the properties by which refused requests are grouped and counted.
type RequestKind struct {
	Status    int
	Reason    string
	Address   string // where the requests came from
	Principal string // the token's, where it is good but does not open this; "" for nobody known
}

// newRequests counts refused requests.
func newRequests(add func(*mcpproxy.Record)) *tally[RequestKind] {
	return &tally[RequestKind]{
		limit:  1,
		window: requestWindow,
		most:   maxRequestKind,
		add: func(k RequestKind, n leftOut) {
			r := n.record("%d more requests were refused between %s and %s")
			if k.Reason != "" {
				r.ErrorMessage += ": " + k.Reason
				r.Metadata.Reason = r.ErrorMessage
			}
			k.describe(r)
			add(r)
		},
	}
}

// describe adds the facts about a kind of refused requests to a record.
func (k RequestKind) describe(r *mcpproxy.Record) {
	r.Principal = k.Principal
	if k.Status == 0 {
		return // many kinds together
	}
	r.Metadata.Detail["http_status"] = k.Status
	r.Metadata.Detail["address"] = k.Address
}

// RefuseRequest writes down a request that was refused for who sent it. Of one kind the
// first gets a record, which RefuseRequest returns; those that follow within
// [requestWindow] are counted, and their number gets one more.
func (j *Journal) RefuseRequest(kind RequestKind, about func() RefusedRequest) *mcpproxy.Record {
	if !j.requests.admit(kind, time.Now()) {
		return nil
	}
	q := about()
	r := &mcpproxy.Record{
		ID:           ulid.Make().String(),
		Type:         mcpproxy.RecordPolicyDecision,
		Source:       q.Source,
		Timestamp:    time.Now().UTC(),
		Status:       mcpproxy.StatusRejected,
		ErrorMessage: kind.Reason,
		CoverageMode: mcpproxy.CoverageProxyOnly,
	}
	r.Metadata.Reason = kind.Reason
	r.Metadata.Detail = map[string]any{"method": q.Method, "asked_for": q.Surface}
	if q.Process != "" {
		r.Metadata.Detail["process"] = q.Process
	}
	kind.describe(r)
	j.log.Add(r)
	j.publish(Event{EventPolicyDecision, r})
	return r
}
