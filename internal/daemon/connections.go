package daemon

import (
	"log/slog"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"
)

// The bounds on connections over TCP.
const (
	mostConnections  = 4096
	mostOfOneAddress = 1024
	// reservedFiles are the descriptors that connections leave to the socket, the log and
	// the servers. Where the process may have few, connections get half of all.
	reservedFiles = 512
)

// connections is a listener that bounds its open connections, in all and for each
// address. Where a bound is reached, the connection that has waited longest without a
// request gives way to a new one; if all are at work, the new one is refused.
type connections struct {
	net.Listener
	most, mostOfOne int

	mu   sync.Mutex
	open map[net.Conn]*tcpConnection
}

// tcpConnection is one open connection.
type tcpConnection struct {
	peer  string
	idle  bool // between two requests, or before the first
	since time.Time
}

// boundConnections returns l with the bounds that the process has descriptors for.
func boundConnections(l net.Listener) *connections {
	most := mostConnections
	var limit syscall.Rlimit // Go has raised the soft limit to the hard one
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	if err == nil && limit.Cur < mostConnections+reservedFiles {
		most = max(int(limit.Cur)-reservedFiles, int(limit.Cur)/2, 1)
	}
	return &connections{
		Listener:  l,
		most:      most,
		mostOfOne: min(mostOfOneAddress, most),
		open:      map[net.Conn]*tcpConnection{},
	}
}

// refusal is all that is sent on a connection for which there is no room.
const refusal = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

// Accept waits for the next connection that there is room for.
func (c *connections) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		ended, room := c.admit(conn)
		if ended != nil {
			ended.Close()
		}
		if room {
			return conn, nil
		}
		slog.Warn("a connection was refused: all others are at work", "peer", conn.RemoteAddr())
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = conn.Write([]byte(refusal))
		conn.Close()
	}
}

// admit counts a connection in. It returns the idle one that has to give way, if any.
func (c *connections) admit(conn net.Conn) (ended net.Conn, room bool) {
	peer, _, _ := net.SplitHostPort(conn.RemoteAddr().String())
	c.mu.Lock()
	defer c.mu.Unlock()
	same := 0
	for _, one := range c.open {
		if one.peer == peer {
			same++
		}
	}
	if same >= c.mostOfOne || len(c.open) >= c.most {
		if ended = c.longestIdle(peer, same >= c.mostOfOne); ended == nil {
			return nil, false
		}
		delete(c.open, ended)
	}
	c.open[conn] = &tcpConnection{peer: peer, idle: true, since: time.Now()}
	return ended, true
}

// longestIdle is the connection that has been idle for longest: of one peer, or of all.
func (c *connections) longestIdle(peer string, own bool) (found net.Conn) {
	for conn, one := range c.open {
		if !one.idle || own && one.peer != peer {
			continue
		}
		if found == nil || one.since.Before(c.open[found].since) {
			found = conn
		}
	}
	return found
}

// changed hears of a connection's state; it is the server's ConnState.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch one := c.open[conn]; {
	case one == nil:
	case state == http.StateClosed || state == http.StateHijacked:
		delete(c.open, conn)
	default:
		if idle := state == http.StateNew || state == http.StateIdle; idle != one.idle {
			one.idle, one.since = idle, time.Now()
		}
	}
}
