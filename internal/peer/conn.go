package peer

import (
	"context"
	"net"
	"sync"
)

// conn is the other end of one connection.
type conn struct {
	once    sync.Once
	resolve func() (Process, bool)
	process Process

	mu    sync.Mutex
	place place  // where the process stands
	of    uint64 // generation of the registry that said so; 0 for none
}

type connKey struct{}

// Context is an [http.Server]'s ConnContext: requests of the connection know who is at
// the other end. A TCP connection's process is looked up when it is first asked for.
func Context(ctx context.Context, c net.Conn) context.Context {
	if _, p, known := Credentials(c); known {
		return With(ctx, p)
	}
	return context.WithValue(ctx, connKey{}, &conn{resolve: func() (Process, bool) { return owner(c) }})
}

// With returns a context whose requests come from p.
func With(ctx context.Context, p Process) context.Context {
	return context.WithValue(ctx, connKey{}, &conn{resolve: func() (Process, bool) { return p, p.Known() }})
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
		if p, ok := c.resolve(); ok {
			c.process = p
		}
	})
	return c.process
}
