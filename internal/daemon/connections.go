package daemon

import (
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"mcpproxy/internal/peer"
)

// Limits of open connections.
const (
	mostConnections  = 4096 // over TCP
	mostOfOneAddress = 1024
	mostOfSocket     = 1024 // over the Unix socket
	mostOfOneProcess = 512
	// reservedFiles are the file descriptors reserved for the socket, the log and the servers. If
	// the process may open few descriptors, TCP connections get half of them and socket connections
	// a quarter.
	reservedFiles = 512
)

// connections is a listener that limits its open connections, in total and for each address or, on
// the socket, for each process. At a limit it closes the connection that has been idle longest. If
// all connections are in use, it refuses the new one.
type connections struct {
	net.Listener
	most, mostOfOne int

	mu   sync.Mutex
	open map[net.Conn]*openConnection
}

// openConnection is one open connection.
type openConnection struct {
	peer  string
	idle  bool // between two requests, or before the first
	since time.Time
}

// boundConnections limits the TCP connections of l to the available file descriptors.
func boundConnections(l net.Listener) *connections {
	tcp, _ := roomFor(descriptors())
	return bounded(l, tcp, min(mostOfOneAddress, tcp))
}

// boundSocket returns boundConnections for the Unix socket.
func boundSocket(l net.Listener) *connections {
	_, socket := roomFor(descriptors())
	return bounded(l, socket, min(mostOfOneProcess, socket))
}

func bounded(l net.Listener, most, mostOfOne int) *connections {
	return &connections{
		Listener:  l,
		most:      most,
		mostOfOne: mostOfOne,
		open:      map[net.Conn]*openConnection{},
	}
}

// roomFor divides file descriptors among connections.
func roomFor(files int) (tcp, socket int) {
	socket = max(min(mostOfSocket, files/4), 1)
	tcp = min(mostConnections, max(files-reservedFiles-socket, files/2, 1))
	return tcp, socket
}

// refusal is the response on a connection that exceeds the limit.
const refusal = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

// Accept returns the next connection within the limits.
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
		slog.Warn("a connection was refused: the limit is reached, and no other connection is idle", "peer", otherEnd(conn))
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = conn.Write([]byte(refusal))
		conn.Close()
	}
}

// admit registers a connection. It returns the idle connection to close for it, if any.
func (c *connections) admit(conn net.Conn) (ended net.Conn, room bool) {
	of := otherEnd(conn)
	c.mu.Lock()
	defer c.mu.Unlock()
	same := 0
	for _, one := range c.open {
		if of != "" && one.peer == of {
			same++
		}
	}
	if same >= c.mostOfOne || len(c.open) >= c.most {
		if ended = c.longestIdle(of, same >= c.mostOfOne); ended == nil {
			return nil, false
		}
		delete(c.open, ended)
	}
	c.open[conn] = &openConnection{peer: of, idle: true, since: time.Now()}
	return ended, true
}

// otherEnd returns a connection's remote address or, on the socket, the remote process. It is "" if
// the system does not tell.
func otherEnd(conn net.Conn) string {
	if _, p, known := peer.Credentials(conn); known {
		return "process " + strconv.Itoa(p.PID)
	}
	host, _, _ := net.SplitHostPort(conn.RemoteAddr().String())
	return host
}

// longestIdle returns the connection that has been idle longest: of one peer, or of all.
func (c *connections) longestIdle(of string, own bool) (found net.Conn) {
	for conn, one := range c.open {
		if !one.idle || own && one.peer != of {
			continue
		}
		if found == nil || one.since.Before(c.open[found].since) {
			found = conn
		}
	}
	return found
}

// changed records a connection's new state; it is the server's ConnState.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn()
	}
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
