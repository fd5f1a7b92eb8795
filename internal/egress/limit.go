package egress

import (
	"net"
	"sync"
)

// limited is a listener that has a bounded number of connections at a time. Whoever comes then waits.
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

// Accept waits for the next connection, and for a slot.
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

// Close ends the listener, and whoever waits for a slot.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.ended) })
	return l.Listener.Close()
}

// slotted is a connection that takes a slot until it is closed.
type slotted struct {
	net.Conn
	free func()
}

// CloseWrite ends what is sent.
func (s *slotted) CloseWrite() error { return closeWrite(s.Conn) }

// Close frees the slot.
func (s *slotted) Close() error {
	defer s.free()
	return s.Conn.Close()
}

// closeWrite ends what is sent, or the whole connection where that cannot be.
func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}
