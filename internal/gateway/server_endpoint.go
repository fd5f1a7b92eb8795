package gateway

import (
	"context"
	"slices"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// serverEndpoint is the endpoint of one server. It renames nothing and forwards every
// message that the gate allows.
type serverEndpoint struct {
	g      *Gateway
	server string
}

func (e *serverEndpoint) handle(ctx context.Context, c *caller, m *wire.Message) *wire.Message {
	if page, ok := e.g.readPage(ctx, c, m); ok {
		return page
	}
	call, err := e.g.callOf(c, e.server, m)
	if err != nil {
		return invalid(m.ID, "%s: %v", m.Method, err)
	}
	if call.Kind != mcpproxy.KindMethod {
		if err := e.g.filter.Ready(ctx, e.server); err != nil {
			return failed(m.ID, err)
		}
	}
	out := *m
	if call.Definition != nil { // no code reads the client's own headers
		out.Header = wire.ParamHeaders(call.Definition.InputSchema, call.Arguments)
	}
	return e.g.forward(ctx, c, request{&out, call}, func(ctx context.Context, m *wire.Message) (*wire.Message, error) {
		if m.Method == "initialize" && c.era == wire.Stateful {
			resp, err := e.initialize(ctx, c, m)
			return e.g.filtered(c, e.server, m.Method, resp, err)
		}
		link, release, err := e.g.clientLink(ctx, c, e.server)
		if err != nil {
			return nil, err
		}
		defer release()
		if m.Method == "subscriptions/listen" {
			release() // a listen stream stays open, so its link does not block calls
		}
		resp, err := e.g.bridge(ctx, link, c, m)
		e.g.doubt(call, link)
		if s, ok := e.g.servers.Get(e.server); ok {
			resp, err = e.g.paged(c, s, call, resp, err)
		}
		return e.g.filtered(c, e.server, m.Method, resp, err)
	})
}

// initialize opens the session's own connection to the server.
func (e *serverEndpoint) initialize(ctx context.Context, c *caller, m *wire.Message) (*wire.Message, error) {
	link, release, err := e.g.clientLink(ctx, c, e.server)
	if err != nil {
		return nil, err
	}
	defer release()
	if link.Era == wire.Stateful {
		return wire.NewResult(m.ID, link.Hello), nil
	}
	version := wire.String(m.Params, "protocolVersion")
	if !slices.Contains(wire.StatefulVersions, version) {
		version = wire.LatestStateful
	}
	return wire.NewResult(m.ID, initializeFrom(link.Hello, version)), nil
}

func (e *serverEndpoint) notified(ctx context.Context, c *caller, m *wire.Message) {
	if c.session == nil || m.Method == "notifications/cancelled" {
		return // the session cancels calls itself, because ids differ upstream
	}
	call, err := e.g.callOf(c, e.server, m)
	if err != nil {
		return
	}
	e.g.forward(ctx, c, request{m, call}, func(ctx context.Context, m *wire.Message) (*wire.Message, error) {
		link, release, err := e.g.clientLink(ctx, c, e.server)
		if err != nil {
			return nil, err
		}
		defer release()
		done := wire.NewResult([]byte("0"), []byte("{}"))
		switch {
		case m.Method == "notifications/initialized":
			c.session.setReady()
			return done, link.Initialized(ctx)
		case link.Era == wire.Stateless:
			return done, nil // the stateless era has no session notifications
		}
		return done, link.Notify(ctx, m)
	})
}

func (e *serverEndpoint) names(name, _ string) (server, tool string) { return e.server, name }
