package telemetry

import (
	"time"

	"mcpproxy"
)

func newSpans(s Settings) sink {
	c := newCollector(s, "/v1/traces")
	c.only = spanned
	c.shape = func(r resource, batch []*mcpproxy.Record) any {
		var spans []span
		for _, b := range batch {
			spans = append(spans, spansOf(b)...)
		}
		return map[string]any{"resourceSpans": []any{map[string]any{"resource": r,
			"scopeSpans": []any{map[string]any{"scope": scope{"mcpproxy", s.Version}, "spans": spans}}}}}
	}
	return c
}

// spanned reports whether a record is about a call that belongs to a trace.
func spanned(r *mcpproxy.Record) bool {
	switch r.Type {
	case mcpproxy.RecordToolCall, mcpproxy.RecordPolicyDecision, mcpproxy.RecordHookEvaluation:
		return r.TraceID != "" && r.SpanID != "" && r.Metadata.Kind != ""
	}
	return false
}

// spansOf returns the span of a call and, if the call was sent to a server, the span of the request to the server.
func spansOf(r *mcpproxy.Record) []span {
	inspection := ms(r.Metadata.InspectionMS)
	answered := time.Duration(0)
	hook := r.Source == string(mcpproxy.ChannelHook)
	if !hook {
		answered = ms(r.DurationMS)
	}
	own := span{
		TraceID:  r.TraceID,
		SpanID:   r.SpanID,
		ParentID: r.Metadata.ParentSpan,
		Name:     method(r),
		Kind:     kindServer,
		Start:    nano(r.Timestamp),
		End:      nano(r.Timestamp.Add(inspection + answered)),
	}
	if hook {
		own.Name, own.Kind = "execute_tool", kindInternal
	}
	if k := r.Metadata.Kind; k == mcpproxy.KindTool || k == mcpproxy.KindPrompt {
		own.Name += " " + cut(r.ToolName, 200)
	}
	a := common(r)
	a = append(a, float("mcpproxy.inspection_ms", r.Metadata.InspectionMS))
	a.str("mcpproxy.activity.id", r.ID)
	if failure := errorType(r); failure != "" {
		own.Status = status{statusError, cut(r.Metadata.Reason, maxText)}
		a.str("error.type", failure)
	}
	own.Attributes = a
	up := (mcpproxy.Trace{ID: r.TraceID, Span: r.SpanID, Outgoing: r.Metadata.ServerTrace}).Upstream()
	if answered == 0 || up.ID == "" {
		return []span{own}
	}
	// A record has only one duration for inspecting the call and its answer together. The span assumes that each took
	// half of it.
	start := r.Timestamp.Add(inspection / 2)
	client := span{
		TraceID:  up.ID,
		SpanID:   up.Span,
		ParentID: up.Parent,
		Name:     own.Name,
		Kind:     kindClient,
		Start:    nano(start),
		End:      nano(start.Add(answered)),
	}
	if up.ID != own.TraceID { // link the two traces to each other
		client.Links = []spanLink{{own.TraceID, own.SpanID}}
		own.Links = []spanLink{{client.TraceID, client.SpanID}}
	}
	b := common(r)
	if r.Status == mcpproxy.StatusError {
		client.Status.Code = statusError
		b.str("error.type", errorType(r))
	}
	client.Attributes = b
	return []span{own, client}
}

// errorType returns the type of a call's error; "" if the call succeeded.
func errorType(r *mcpproxy.Record) string {
	switch {
	case r.Status == mcpproxy.StatusBlocked, r.Status == mcpproxy.StatusRejected:
		return "denied"
	case r.Status == mcpproxy.StatusError && r.ErrorMessage == "":
		return "tool_error"
	case r.Status == mcpproxy.StatusError:
		return "_OTHER"
	}
	return ""
}

func ms(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }
