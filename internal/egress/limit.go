package egress

import (
	"net"
	"sync"
)

// limited is a listener with at most maxConnections open connections. Further clients wait until one is closed.
type limited struct {
	net.Listener
	slots chan struct{}
	ended chan struct{}
	once  sync.Once
}

func limit(l net.Listener) *limited {
	return &limited{
		Listener: l,
		slots:    make(chan struct{}, maxConnections),
		ended:    make(chan struct{}),
	}
}

// Accept waits for a free slot and then for the next connection.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.ended:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &slotted{Conn: conn, free: sync.OnceFunc(func() { <-l.slots })}, nil
}

// Close closes the listener and ends an Accept that waits for a slot.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.ended) })
	return l.Listener.Close()
}

// slotted is a connection that occupies a slot until it is closed.
type slotted struct {
	net.Conn
	free func()
}

// CloseWrite closes the sending side of the connection.
func (s *slotted) CloseWrite() error { return closeWrite(s.Conn) }

// Close closes the connection and frees its slot.
func (s *slotted) Close() error {
	defer s.free()
	return s.Conn.Close()
}

// closeWrite closes the sending side of a connection, or the whole connection if it cannot be closed by halves.
func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}
