package gateway

import (
	"mcpproxy"
	"mcpproxy/internal/wire"
)

// trace is where a caller says its message stands: in _meta, which belongs to the
// message, or else in the header of the HTTP request. What is no traceparent is
// not there.
func (c *caller) trace(m *wire.Message) mcpproxy.Trace {
	if t, ok := mcpproxy.ParseTraceparent(wire.String(m.Params, "_meta", "traceparent")); ok {
		return t
	}
	t, _ := mcpproxy.ParseTraceparent(c.header.Get("traceparent"))
	return t
}

// traceparent is what a server over HTTP is told about a call's trace. Where no
// spans are exported, the caller's own passes through: a span that nobody sees
// would leave a hole.
func (g *Gateway) traceparent(call *mcpproxy.Call) string {
	switch {
	case g.options.Load().Trace:
		return call.Trace.Upstream().Traceparent()
	case call.Trace.Remote:
		through := call.Trace
		through.Span = through.Parent
		return through.Traceparent()
	}
	return ""
}
