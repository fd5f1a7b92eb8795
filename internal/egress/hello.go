package egress

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"time"
)

// handshake is the first byte of what a client says in TLS.
const handshake = 0x16

// errRead ends a handshake of which only the first message was wanted.
var errRead = errors.New("the first message was read")

// serverName reads the first message of a TLS client, and returns it with all that was read, and the name in it of the
// server that is wanted; "" if it has none. It fails if what r says is no such message.
func serverName(r io.Reader) (read []byte, name string, err error) {
	eaves := &listener{from: r}
	found := false
	conn := tls.Server(eaves, &tls.Config{
		GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			name, found = h.ServerName, true
			return nil, errRead
		},
	})
	if err := conn.Handshake(); !found {
		return eaves.read.Bytes(), "", err
	}
	return eaves.read.Bytes(), name, nil
}

// listener is a connection from which is only read. It keeps what it has read.
type listener struct {
	from io.Reader
	read bytes.Buffer
}

// Read reads and keeps.
func (l *listener) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	l.read.Write(p[:n])
	return n, err
}

// Write says nothing: an alert is not for the client.
func (l *listener) Write(p []byte) (int, error) { return len(p), nil }

// Close leaves the connection open.
func (l *listener) Close() error { return nil }

// LocalAddr is of no use.
func (l *listener) LocalAddr() net.Addr { return &net.TCPAddr{} }

// RemoteAddr is of no use.
func (l *listener) RemoteAddr() net.Addr { return &net.TCPAddr{} }

// SetDeadline leaves the connection's own.
func (l *listener) SetDeadline(time.Time) error { return nil }

// SetReadDeadline leaves the connection's own.
func (l *listener) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline leaves the connection's own.
func (l *listener) SetWriteDeadline(time.Time) error { return nil }
