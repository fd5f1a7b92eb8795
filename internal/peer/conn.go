package peer

import (
	"context"
	"net"
	"sync"
)

// conn is the other end of one connection.
type conn struct {
	once     sync.Once
	resolve  func() (p Process, suspects []Process)
	process  Process   // the zero value if the system does not tell
	suspects []Process // who it can only be, where one of them hides what it has open

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
	return context.WithValue(ctx, connKey{}, &conn{resolve: func() (Process, []Process) { return owner(c) }})
}

// With returns a context whose requests come from p.
func With(ctx context.Context, p Process) context.Context {
	return context.WithValue(ctx, connKey{}, &conn{resolve: func() (Process, []Process) { return p, nil }})
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
	c.once.Do(func() { c.process, c.suspects = c.resolve() })
	return c.process
}
