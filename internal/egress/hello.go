package egress

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"time"
)

// handshake is the first byte of a TLS handshake record.
const handshake = 0x16

// errRead stops a handshake after its ClientHello was read.
var errRead = errors.New("the ClientHello was read")

// serverName reads the ClientHello of a TLS client. It returns all bytes that it has read, and the server name in the
// ClientHello, or "" if the client names no server. It fails if r does not begin with a ClientHello.
func serverName(r io.Reader) (read []byte, name string, err error) {
	recorder := &listener{from: r}
	found := false
	conn := tls.Server(recorder, &tls.Config{
		GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			name, found = h.ServerName, true
			return nil, errRead
		},
	})
	if err := conn.Handshake(); !found {
		return recorder.read.Bytes(), "", err
	}
	return recorder.read.Bytes(), name, nil
}

// listener is a net.Conn for reading only. It records the bytes that were read.
type listener struct {
	from io.Reader
	read bytes.Buffer
}

// Read reads from the client and records the bytes.
func (l *listener) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	l.read.Write(p[:n])
	return n, err
}

// Write discards p: the client must not receive a TLS alert from the proxy.
func (l *listener) Write(p []byte) (int, error) { return len(p), nil }

// Close does nothing: the connection stays open.
func (l *listener) Close() error { return nil }

// LocalAddr returns an empty address.
func (l *listener) LocalAddr() net.Addr { return &net.TCPAddr{} }

// RemoteAddr returns an empty address.
func (l *listener) RemoteAddr() net.Addr { return &net.TCPAddr{} }

// SetDeadline does nothing.
func (l *listener) SetDeadline(time.Time) error { return nil }

// SetReadDeadline does nothing.
func (l *listener) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing.
func (l *listener) SetWriteDeadline(time.Time) error { return nil }
