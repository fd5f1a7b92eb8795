package journal

import (
	"time"

	"github.com/oklog/ulid/v2"

	"mcpproxy"
)

// Limits of the records about requests that were refused because of their sender.
const (
	requestWindow  = 5 * time.Minute // in which requests of one kind get one record, and one that counts the others
	maxRequestKind = 64              // kinds that are counted separately
)

// RefusedRequest describes an HTTP request that was refused because of its sender. It contains no text of the sender,
// because a key can be anywhere in a request.
type RefusedRequest struct {
	Source  string // record source: mcp, hook or api
	Method  string
	Surface string // what was requested, such as "the REST API"
	Process string // the sending process; "" if unknown
}

// RequestKind holds the properties by which refused requests are grouped and counted.
type RequestKind struct {
	Status    int
	Reason    string
	Address   string // the sender's address
	Principal string // principal of a valid token that does not admit to this surface; "" if unknown
}

// newRequests returns a counter for refused requests.
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

// describe adds the properties of a kind of refused requests to a record.
func (k RequestKind) describe(r *mcpproxy.Record) {
	r.Principal = k.Principal
	if k.Status == 0 {
		return // the record counts requests of many kinds
	}
	r.Metadata.Detail["http_status"] = k.Status
	r.Metadata.Detail["address"] = k.Address
}

// RefuseRequest records a request that was refused because of its sender. The first request of a kind gets a record,
// which RefuseRequest returns. Further ones within [requestWindow] are counted, and their number gets one more
// record.
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
