package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// clientLink is the link with a server that serves a client at the server's own
// endpoint. A session has one to itself, on which the client has greeted the server.
// A stateless request uses its principal's link, or a further one where the server
// has to know what the client can do before it is asked anything. The caller must call
// release when its call has ended.
func (g *Gateway) clientLink(ctx context.Context, c *caller, server string) (
	link *upstream.Link, release func(), err error) {
	s, ok := g.servers.Get(server)
	if !ok {
		return nil, nil, noServer(server)
	}
	if c.session != nil {
		greeting := upstream.Greeting{Params: c.hello, Prefer: wire.Stateful}
		link, release, err = g.sessionLink(ctx, s, c.session, greeting, c.session.unclaimed(g, c))
		if err != nil || !c.session.isReady() {
			return link, release, err
		}
		if err = link.Initialized(ctx); err != nil { // a link that replaces a lost one
			release()
			return nil, nil, err
		}
		return link, release, nil
	}
	capabilities := wire.Member(c.hello, "capabilities")
	if len(capabilities) <= len("{}") {
		return g.plainLink(ctx, s, c.principal, nil)
	}
	first, err := s.Shared(ctx) // tells the era
	if err != nil || first.Era == wire.Stateless {
		return g.plainLink(ctx, s, c.principal, nil)
	}
	hash := sha256.Sum256(capabilities) // a client may declare megabytes
	owner := upstream.Owner{Principal: c.principal, Variant: hex.EncodeToString(hash[:])}
	hello := upstream.Hello(capabilities, wire.Stateful)
	hello.Common = true
	return s.Own(ctx, owner, hello, g.unclaimedBy(server, c.principal))
}

// plainLink is the link with a server for calls at this proxy's own endpoints and in
// scripts, and for stateless requests: that of their session, or of their principal
// where they have none. This proxy is its client. The caller must call release when its
// call has ended.
func (g *Gateway) plainLink(ctx context.Context, s *upstream.Server, principal string, in *session) (
	link *upstream.Link, release func(), err error) {
	if s.SharesLink() {
		link, err = s.Shared(ctx)
		return link, func() {}, err // nobody takes its place
	}
	hello := upstream.Hello(nil, wire.Stateless)
	hello.Common = true
	if in != nil {
		return g.sessionLink(ctx, s, in, hello, func(*upstream.Link, *wire.Message) {})
	}
	return s.Own(ctx, upstream.Owner{Principal: principal}, hello, g.unclaimedBy(s.Name(), principal))
}

// sessionLink is a session's link with a server. The caller must call release when its call
// has ended.
func (g *Gateway) sessionLink(ctx context.Context, s *upstream.Server, in *session, hello upstream.Greeting,
	listener upstream.Listener) (link *upstream.Link, release func(), err error) {
	owner := upstream.Owner{Principal: in.principal, Session: in.id}
	link, release, err = s.Own(ctx, owner, hello, listener)
	if in.life.Err() != nil { // it has ended meanwhile, and dropped what it had until then
		s.Drop(owner)
		if err == nil {
			release()
		}
		return nil, nil, mcpproxy.Errorf(mcpproxy.CodeCancelled, in.life.Err(), "the session has ended")
	}
	return link, release, err
}

// unclaimedBy passes what a server sends for no call in particular to the
// subscriptions of the principal whose link it came on. That a list has changed is
// heard on the link that belongs to nobody.
func (g *Gateway) unclaimedBy(server, principal string) upstream.Listener {
	return func(_ *upstream.Link, m *wire.Message) {
		if !strings.HasSuffix(m.Method, "/list_changed") {
			g.heard(server, m, func(s *subscription) bool { return s.principal == principal })
		}
	}
}
