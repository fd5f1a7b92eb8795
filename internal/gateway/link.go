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

// clientLink returns the link to a server for a client at the server's own endpoint. A session has
// its own link, on which the client has initialized the server. A stateless request uses its
// principal's link. It uses a separate link if the server must know the client's capabilities
// before the first call. The caller must call release when its call has ended.
func (g *Gateway) clientLink(ctx context.Context, c *caller, server string) (
	link *upstream.Link, release func(), err error) {
	s, ok := g.servers.Get(server)
	if !ok {
		return nil, nil, noServer(server)
	}
	return g.onPresent(s, func(s *upstream.Server) (*upstream.Link, func(), error) {
		return g.clientLinkTo(ctx, c, s)
	})
}

// onPresent returns what open returns for a server. If the configuration replaced the server while
// open waited for a link, onPresent asks the server that took its place: the call has not been sent.
func (g *Gateway) onPresent(s *upstream.Server, open func(*upstream.Server) (*upstream.Link, func(), error)) (
	link *upstream.Link, release func(), err error) {
	for {
		link, release, err = open(s)
		if err == nil {
			return link, release, nil
		}
		next, replaced := g.servers.Successor(s)
		if !replaced {
			return nil, nil, err
		}
		s = next
	}
}

// clientLinkTo is clientLink for one server.
func (g *Gateway) clientLinkTo(ctx context.Context, c *caller, s *upstream.Server) (
	link *upstream.Link, release func(), err error) {
	if c.session != nil {
		greeting := upstream.Greeting{Params: c.hello, Prefer: wire.Stateful}
		link, release, err = g.sessionLink(ctx, s, c.session, greeting, c.session.unclaimed(g, c))
		if err != nil || !c.session.isReady() {
			return link, release, err
		}
		if err = link.Initialized(ctx); err != nil { // the link replaces a lost one
			release()
			return nil, nil, err
		}
		return link, release, nil
	}
	capabilities := wire.Member(c.hello, "capabilities")
	if len(capabilities) <= len("{}") {
		return g.plainLinkTo(ctx, s, c.principal, nil)
	}
	first, err := s.Shared(ctx) // shows the server's era
	if err != nil || first.Era == wire.Stateless {
		return g.plainLinkTo(ctx, s, c.principal, nil)
	}
	hash := sha256.Sum256(capabilities) // hashed because a client may declare megabytes
	owner := upstream.Owner{Principal: c.principal, Variant: hex.EncodeToString(hash[:])}
	hello := upstream.Hello(capabilities, wire.Stateful)
	hello.Common = true
	return s.Own(ctx, owner, hello, g.unclaimedBy(s.Name(), c.principal))
}

// plainLink returns the link to a server for calls at this proxy's own endpoints, in scripts, and
// for stateless requests. It is the link of the session, or else of the principal. On this link the
// proxy itself is the server's client. The caller must call release when its call has ended.
func (g *Gateway) plainLink(ctx context.Context, s *upstream.Server, principal string, in *session) (
	link *upstream.Link, release func(), err error) {
	return g.onPresent(s, func(s *upstream.Server) (*upstream.Link, func(), error) {
		return g.plainLinkTo(ctx, s, principal, in)
	})
}

// plainLinkTo is plainLink for one server.
func (g *Gateway) plainLinkTo(ctx context.Context, s *upstream.Server, principal string, in *session) (
	link *upstream.Link, release func(), err error) {
	if s.SharesLink() {
		link, err = s.Shared(ctx)
		return link, func() {}, err // this link is never replaced
	}
	hello := upstream.Hello(nil, wire.Stateless)
	hello.Common = true
	if in != nil {
		return g.sessionLink(ctx, s, in, hello, func(*upstream.Link, *wire.Message) {})
	}
	return s.Own(ctx, upstream.Owner{Principal: principal}, hello, g.unclaimedBy(s.Name(), principal))
}

// sessionLink returns a session's link to a server. The caller must call release when its call has
// ended.
func (g *Gateway) sessionLink(ctx context.Context, s *upstream.Server, in *session, hello upstream.Greeting,
	listener upstream.Listener) (link *upstream.Link, release func(), err error) {
	owner := upstream.Owner{Principal: in.principal, Session: in.id}
	link, release, err = s.Own(ctx, owner, hello, listener)
	if in.life.Err() != nil { // the session has ended meanwhile and released its links
		s.Drop(owner)
		if err == nil {
			release()
		}
		return nil, nil, mcpproxy.Errorf(mcpproxy.CodeCancelled, in.life.Err(), "the session has ended")
	}
	return link, release, err
}

// unclaimedBy passes the notifications of a principal's link that belong to no call to that
// principal's subscriptions. Notifications about changed lists are read from the link without an
// owner instead.
func (g *Gateway) unclaimedBy(server, principal string) upstream.Listener {
	return func(_ *upstream.Link, m *wire.Message) {
		if !strings.HasSuffix(m.Method, "/list_changed") {
			g.publishNotification(server, m, func(s *subscription) bool { return s.principal == principal })
		}
	}
}
