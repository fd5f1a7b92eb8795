package gateway

import (
	"context"
	"slices"

	"mcpproxy"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// passthrough is the endpoint of one server: nothing renamed, everything
// passed on that the gate lets through.
type passthrough struct {
	g      *Gateway
	server string
}

func (p *passthrough) handle(ctx context.Context, c *caller, m *wire.Message) *wire.Message {
	call, err := p.g.callOf(c, p.server, m)
	if err != nil {
		return invalid(m.ID, "%s: %v", m.Method, err)
	}
	if call.Kind != mcpproxy.KindMethod {
		if err := p.g.screen.Ready(ctx, p.server); err != nil {
			return failed(m.ID, err)
		}
	}
	return p.g.pass(ctx, c, request{m, call}, func(ctx context.Context, m *wire.Message) (*wire.Message, error) {
		if m.Method == "initialize" && c.era == wire.Stateful {
			resp, err := p.initialize(ctx, c, m)
			return p.g.screened(c, p.server, m.Method, resp, err)
		}
		link, err := p.link(ctx, c)
		if err != nil {
			return nil, err
		}
		resp, err := p.g.bridge(ctx, link, c, m)
		p.g.doubt(call, resp)
		return p.g.screened(c, p.server, m.Method, resp, err)
	})
}

// initialize opens the session's own conversation with the server.
func (p *passthrough) initialize(ctx context.Context, c *caller, m *wire.Message) (*wire.Message, error) {
	link, err := p.link(ctx, c)
	if err != nil {
		return nil, err
	}
	if link.Era == wire.Stateful {
		return wire.NewResult(m.ID, link.Hello), nil
	}
	version := wire.String(m.Params, "protocolVersion")
	if !slices.Contains(wire.StatefulVersions, version) {
		version = wire.LatestStateful
	}
	return wire.NewResult(m.ID, initializeFrom(link.Hello, version)), nil
}

// link is the conversation with the server that serves c: one of its own for a
// session; a shared one for stateless requests, unless the server is of the
// stateful era and has to know the client's capabilities.
func (p *passthrough) link(ctx context.Context, c *caller) (*upstream.Link, error) {
	s, ok := p.g.servers.Get(p.server)
	if !ok {
		return nil, noServer(p.server)
	}
	if c.session != nil {
		link, err := s.Own(ctx, c.session.id, upstream.Greeting{Params: c.hello, Prefer: wire.Stateful}, c.session.unclaimed(p.g, c))
		if err == nil && c.session.isReady() { // a link that replaces a lost one
			err = link.Initialized(ctx)
		}
		return link, err
	}
	shared, err := s.Shared(ctx)
	if err != nil || shared.Era == wire.Stateless {
		return shared, err
	}
	capabilities := wire.Member(c.hello, "capabilities")
	if len(capabilities) <= len("{}") {
		return shared, nil
	}
	key := "capabilities:" + c.principal + ":" + string(capabilities)
	hello := upstream.Hello(capabilities, wire.Stateful)
	hello.Common = true
	link, err := s.Own(ctx, key, hello, func(_ *upstream.Link, m *wire.Message) { p.g.Heard(p.server, m) })
	if err != nil {
		return nil, err
	}
	return link, link.Initialized(ctx)
}

func (p *passthrough) notified(ctx context.Context, c *caller, m *wire.Message) {
	if c.session == nil || m.Method == "notifications/cancelled" {
		return // cancelling is the session's business: ids differ upstream
	}
	call, err := p.g.callOf(c, p.server, m)
	if err != nil {
		return
	}
	p.g.pass(ctx, c, request{m, call}, func(ctx context.Context, m *wire.Message) (*wire.Message, error) {
		link, err := p.link(ctx, c)
		if err != nil {
			return nil, err
		}
		done := wire.NewResult([]byte("0"), []byte("{}"))
		switch {
		case m.Method == "notifications/initialized":
			c.session.setReady()
			return done, link.Initialized(ctx)
		case link.Era == wire.Stateless:
			return done, nil // that era knows no notifications of a session
		}
		return done, link.Notify(ctx, m)
	})
}

func (p *passthrough) ended(s *session) {
	if server, ok := p.g.servers.Get(p.server); ok {
		server.Drop(s.id)
	}
}
