package gateway

import (
	"slices"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// trace returns the trace context of a caller's message. The one in _meta takes precedence, because
// it belongs to the message; otherwise the HTTP header is read. An invalid traceparent is ignored.
func (c *caller) trace(m *wire.Message) mcpproxy.Trace {
	if t, ok := mcpproxy.ParseTraceparent(wire.String(m.Params, "_meta", "traceparent")); ok {
		return t
	}
	t, _ := mcpproxy.ParseTraceparent(c.header.Get("traceparent"))
	return t
}

// traceparent returns the traceparent that an HTTP server receives. It is "" if spans are not
// exported, because it would then name a span that no tracing system knows. The caller's own
// traceparent is never forwarded (see [mcpproxy.Trace.Upstream]).
func (g *Gateway) traceparent(call *mcpproxy.Call) string {
	if !g.options.Load().Trace {
		return ""
	}
	return call.Trace.Upstream().Traceparent()
}

// traceNames are the members of _meta that correspond to the headers of W3C Trace Context and W3C
// Baggage.
var traceNames = []string{"traceparent", "tracestate", "baggage"}

// retraced returns params without the caller's trace context. If the caller sent a traceparent and
// the argument traceparent is not empty, the argument replaces it.
func retraced(params []byte, traceparent string) []byte {
	meta := wire.Member(params, "_meta")
	if !slices.ContainsFunc(traceNames, func(name string) bool { return wire.Member(meta, name) != nil }) {
		return params
	}
	told := wire.Member(meta, traceNames[0]) != nil && traceparent != ""
	meta = wire.Without(meta, traceNames...)
	if told {
		meta = wire.Set(meta, wire.Quote(traceparent), traceNames[0])
	}
	return wire.Set(params, meta, "_meta")
}
