package peer

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
)

// conn holds the facts about one connection and the process at its other end. For a TCP connection
// the process is looked up on first use, because the lookup searches /proc.
type conn struct {
	local  net.Addr // both nil if the process is known from the start
	remote net.Addr

	once     sync.Once
	process  Process   // the zero value if the operating system does not tell
	suspects []Process // the possible processes, if a candidate hides its open files

	mu       sync.Mutex
	position position // position of the process in the process tree
	of       uint64   // registry generation for which where was computed; 0 if it was not computed
}

type connKey struct{}

// Context returns the ConnContext of an [http.Server]. It attaches the connection's peer to the
// requests.
func Context(ctx context.Context, c net.Conn) context.Context {
	if secured, ok := c.(*tls.Conn); ok {
		c = secured.NetConn()
	}
	if _, p, known := Credentials(c); known {
		return context.WithValue(ctx, connKey{}, &conn{process: p})
	}
	return context.WithValue(ctx, connKey{}, &conn{local: c.LocalAddr(), remote: c.RemoteAddr()})
}

// Of describes the process that sent a request, or returns "" if the operating system does not
// tell.
func Of(ctx context.Context) string {
	if c := from(ctx); c != nil && c.peer().Known() {
		return c.peer().String()
	}
	return ""
}

// from returns the connection of a request, or nil if it is unknown.
func from(ctx context.Context) *conn {
	c, _ := ctx.Value(connKey{}).(*conn)
	return c
}

// peer returns the process at the other end, or the zero value if the operating system does not
// tell.
func (c *conn) peer() Process {
	c.once.Do(func() {
		if c.remote != nil {
			c.process, c.suspects = owner(c.local, c.remote)
		}
	})
	return c.process
}
