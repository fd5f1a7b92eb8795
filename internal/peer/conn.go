package peer

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
)

// conn is what is known of one connection, and of the process at its other end. That of a TCP
// connection is looked up when it is first asked for: it takes a search through /proc.
type conn struct {
	local  net.Addr // both nil if the process is known from the start
	remote net.Addr

	once     sync.Once
	process  Process   // the zero value if the system does not tell
	suspects []Process // who it can only be, where one of them hides what it has open

	mu       sync.Mutex
	position position // where the process stands
	of       uint64   // generation of the registry that said so; 0 for none
}

type connKey struct{}

// Context is an [http.Server]'s ConnContext: requests of the connection know who is at
// the other end.
func Context(ctx context.Context, c net.Conn) context.Context {
	if secured, ok := c.(*tls.Conn); ok {
		c = secured.NetConn()
	}
	if _, p, known := Credentials(c); known {
		return context.WithValue(ctx, connKey{}, &conn{process: p})
	}
	return context.WithValue(ctx, connKey{}, &conn{local: c.LocalAddr(), remote: c.RemoteAddr()})
}

// Of names the process that a request is from; "" if the system does not tell.
func Of(ctx context.Context) string {
	if c := from(ctx); c != nil && c.peer().Known() {
		return c.peer().String()
	}
	return ""
}

// from is the connection of a request; nil when nothing is known of it.
func from(ctx context.Context) *conn {
	c, _ := ctx.Value(connKey{}).(*conn)
	return c
}

// peer is the process at the other end; the zero value if the system does not tell.
func (c *conn) peer() Process {
	c.once.Do(func() {
		if c.remote != nil {
			c.process, c.suspects = owner(c.local, c.remote)
		}
	})
	return c.process
}
