package gateway

import (
	"slices"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// trace is where a caller says its message stands: in _meta, which belongs to the
// message, or else in the header of the HTTP request. What is not a traceparent is
// not there.
func (c *caller) trace(m *wire.Message) mcpproxy.Trace {
	if t, ok := mcpproxy.ParseTraceparent(wire.String(m.Params, "_meta", "traceparent")); ok {
		return t
	}
	t, _ := mcpproxy.ParseTraceparent(c.header.Get("traceparent"))
	return t
}

// traceparent is what a server over HTTP is told about a call's trace: "" where no
// spans are exported, since nobody could find the span. The caller's own never passes
// through (see [mcpproxy.Trace.Upstream]).
func (g *Gateway) traceparent(call *mcpproxy.Call) string {
	if !g.options.Load().Trace {
		return ""
	}
	return call.Trace.Upstream().Traceparent()
}

// traceNames are the members of _meta that carry what W3C Trace Context and W3C Baggage
// have headers for.
var traceNames = []string{"traceparent", "tracestate", "baggage"}

// retraced returns params without what the caller said about its trace. Where it named
// a traceparent, the server's takes its place, unless it is empty.
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
