package gateway

import (
	"context"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/wire"
)

// forwardNotification forwards a server's notification through the gate, because an agent reads it like a result.
func (g *Gateway) forwardNotification(ctx context.Context, server string, c *caller, m *wire.Message) {
	if !says(m) {
		c.notify(m)
		return
	}
	call := &mcpproxy.Call{
		Channel:     mcpproxy.ChannelMCP,
		Kind:        mcpproxy.KindMethod,
		Session:     c.protocolSession(),
		FlowSession: c.flowSession(),
		Principal:   c.principal,
		Grants:      c.grants,
		Client:      c.clientName(),
		Agent:       c.agent(),
		Server:      server,
		Tool:        m.Method,
		Incoming:    true,
	}
	request := gate.Request{Call: call, Caller: waiting(ctx, nil)}
	result, _ := g.gate.Forward(ctx, request, func(context.Context, *mcpproxy.Call) *mcpproxy.Result {
		return &mcpproxy.Result{Raw: m.Params}
	})
	switch {
	case result == nil: // the gate stopped and recorded it
	case result.Changed:
		c.notify(m.WithParams(result.Raw))
	default:
		c.notify(m)
	}
}

// says reports whether a notification carries content. Progress and notices of changes carry none.
func says(m *wire.Message) bool {
	rest := m.Params
	if m.Method == "notifications/progress" && rest != nil {
		rest = wire.Without(rest, "progressToken", "progress", "total")
	}
	return len(rest) > len("{}")
}
