package egress

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// connect handles CONNECT: it connects to the host and copies bytes in both directions.
func (p *Proxy) connect(w http.ResponseWriter, r *http.Request) {
	t, err := ParseTarget(r.RequestURI, 0)
	if err != nil {
		p.unreadable(w, err)
		return
	}
	if r.ContentLength != 0 || len(r.TransferEncoding) > 0 {
		http.Error(w, "CONNECT has no body", http.StatusBadRequest)
		return
	}
	if why := p.present().refuses(t); why != "" {
		answer(w, p.decided(t, refusal(t, why)))
		return
	}
	host, err := p.reach(r.Context(), t)
	if err != nil {
		answer(w, p.decided(t, err))
		return
	}
	defer host.Close()
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "this connection cannot become a tunnel", http.StatusBadRequest)
		return
	}
	defer client.Close()
	_ = client.SetDeadline(time.Time{})
	leave, why := p.enter(t, func() { host.Close(); client.Close() })
	if why != "" {
		_ = p.decided(t, refusal(t, why))
		return
	}
	defer leave()
	p.watch.Attempt(Attempt{Target: t})
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	p.join(t, client, buffered.Reader, host)
}

// reach connects to the host of a tunnel, directly or through another proxy.
func (p *Proxy) reach(ctx context.Context, t Target) (net.Conn, error) {
	parent, err := p.parent("https", t.String())
	if err != nil {
		return nil, err
	}
	if parent == nil {
		return p.dial(ctx, t)
	}
	if err := p.vetByName(ctx, t); err != nil {
		return nil, err
	}
	return p.tunnel(ctx, parent, t)
}

// unreadable refuses a request whose target is not a valid host and port.
func (p *Proxy) unreadable(w http.ResponseWriter, err error) {
	refused := &refusedError{BadTarget, "what was asked for " + err.Error()}
	answer(w, p.decided(Target{}, refused))
}

// join copies bytes between a client and a host until both directions are closed or one side fails. It reads the bytes
// of the client from said, which may have buffered some of them.
func (p *Proxy) join(t Target, client net.Conn, said *bufio.Reader, host net.Conn) {
	var both sync.WaitGroup
	both.Go(func() {
		_, err := io.Copy(client, host)
		finish(client, err)
		if err != nil {
			host.Close()
		}
	})
	if err := p.greet(t, said, host); err != nil {
		_ = p.decided(t, err)
		client.Close()
		host.Close()
	} else {
		_, err := io.Copy(host, said)
		finish(host, err)
		if err != nil {
			client.Close()
		}
	}
	both.Wait()
}

// finish closes the sending side of a connection after a copy, or the whole connection if the copy failed.
func finish(to net.Conn, err error) {
	if err == nil {
		err = closeWrite(to)
	}
	if err != nil {
		to.Close()
	}
}

// greet checks the first bytes of a client. It forwards a ClientHello that names the host of the tunnel.
func (p *Proxy) greet(t Target, said *bufio.Reader, host net.Conn) error {
	first, err := said.Peek(1)
	if err != nil || p.present().observe {
		return nil // the client sends nothing, or every connection is allowed
	}
	if first[0] != handshake {
		if t.Port == 443 {
			return &refusedError{NoTLS, fmt.Sprintf("the tunnel to %s carries something other than TLS", t)}
		}
		return nil
	}
	read, name, err := serverName(said)
	if err != nil {
		return &refusedError{NoTLS, fmt.Sprintf("the first message of TLS to %s cannot be read", t)}
	}
	if refused := t.rejects(name); refused != nil {
		return refused
	}
	_, _ = host.Write(read) // the copy that follows meets the same error
	return nil
}

// rejects returns an error if a tunnel to a target must not carry TLS for a server name.
func (t Target) rejects(name string) error {
	switch {
	case name == "" && t.IP.IsValid():
		return nil // clients send no server name for an IP address
	case name == "":
		return &refusedError{OtherName, fmt.Sprintf("TLS in the tunnel to %s names no host", t)}
	}
	if named, _, err := normalHost(name); err == nil && named == t.Host {
		return nil
	}
	return &refusedError{OtherName, fmt.Sprintf("TLS in the tunnel to %s names another host, %.100q", t, name)}
}

// meter is a connection to a host. It counts the bytes in both directions, and times out when it is idle.
type meter struct {
	net.Conn
	idle time.Duration
	done func(sent, received int64)

	sent, received atomic.Int64
	once           sync.Once
}

// Read reads from the host and counts the bytes.
func (m *meter) Read(p []byte) (int, error) {
	m.moves()
	n, err := m.Conn.Read(p)
	m.received.Add(int64(n))
	return n, err
}

// Write writes to the host and counts the bytes.
func (m *meter) Write(p []byte) (int, error) {
	m.moves()
	n, err := m.Conn.Write(p)
	m.sent.Add(int64(n))
	return n, err
}

// moves extends the deadline of the connection by the idle time.
func (m *meter) moves() { _ = m.SetDeadline(time.Now().Add(m.idle)) }

// CloseWrite closes the sending side of the connection.
func (m *meter) CloseWrite() error { return closeWrite(m.Conn) }

// Close closes the connection and reports the number of bytes.
func (m *meter) Close() error {
	err := m.Conn.Close()
	m.once.Do(func() { m.done(m.sent.Load(), m.received.Load()) })
	return err
}
