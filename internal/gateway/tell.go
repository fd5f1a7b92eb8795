package gateway

import (
	"context"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/wire"
)

// tell passes on what a server says beside an answer, through the gate: an agent reads
// it as it reads a result.
func (g *Gateway) tell(ctx context.Context, server string, c *caller, m *wire.Message) {
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
	case result == nil: // it was stopped, and that is on record
	case result.Changed:
		c.notify(m.WithParams(result.Raw))
	default:
		c.notify(m)
	}
}

// says reports whether a notification carries more than how far a call is, or that
// something has changed.
func says(m *wire.Message) bool {
	rest := m.Params
	if m.Method == "notifications/progress" && rest != nil {
		rest = wire.Without(rest, "progressToken", "progress", "total")
	}
	return len(rest) > len("{}")
}
