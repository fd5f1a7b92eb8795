package egress

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// onwardTime bounds how long another proxy takes until it has opened a tunnel.
const onwardTime = 30 * time.Second

// Through makes the proxy reach hosts through another proxy, such as that of a company. Find returns the address of
// that proxy for a URL, or nil for a direct connection. Through must be called before [Proxy.Serve].
//
// The other proxy resolves the names. The list is enforced by name and, if this machine can also resolve the name, by
// its addresses.
func (p *Proxy) Through(find func(*url.URL) (*url.URL, error)) {
	p.onward = find
	p.transport.Proxy = func(r *http.Request) (*url.URL, error) { return p.parent("http", r.URL.Host) }
}

// parent returns the address of the proxy through which a host is reached; nil for a direct connection.
func (p *Proxy) parent(scheme, host string) (*url.URL, error) {
	if p.onward == nil {
		return nil, nil
	}
	u, err := p.onward(&url.URL{Scheme: scheme, Host: host})
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the address of this machine's own proxy: %w", err)
	case u != nil && u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf(
			"servers with a list of hosts can only use an http or https proxy, but this machine's proxy is %s",
			u.Scheme,
		)
	}
	return u, nil
}

// vetByName returns an error if a target must not be reached through another proxy. Every address that this machine
// finds for the name is checked, because the other proxy may choose any. Where only the other proxy can resolve
// names, the name alone decides.
func (p *Proxy) vetByName(ctx context.Context, t Target) error {
	addresses := []netip.Addr{t.IP}
	if !t.IP.IsValid() {
		ctx, cancel := context.WithTimeout(ctx, resolveTime)
		defer cancel()
		var err error
		if addresses, err = p.lookup(ctx, "ip", t.Host); err != nil {
			return nil //nolint:nilerr // the name alone decides
		}
	}
	list := p.present()
	for _, ip := range addresses {
		if err := vet(list, t, netip.AddrPortFrom(ip.Unmap(), t.Port), p.own); err != nil {
			return err
		}
	}
	return nil
}

// dialParent connects to another proxy.
func (p *Proxy) dialParent(ctx context.Context, parent *url.URL) (net.Conn, error) {
	port := parent.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[parent.Scheme]
	}
	d := net.Dialer{Timeout: dialTime}
	conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(parent.Hostname(), port))
	if err != nil {
		return nil, fmt.Errorf("connecting to this machine's own proxy: %w", err)
	}
	return conn, nil
}

// tunnel asks another proxy for a tunnel to a target.
func (p *Proxy) tunnel(ctx context.Context, parent *url.URL, t Target) (net.Conn, error) {
	conn, err := p.dialParent(ctx, parent)
	if err != nil {
		return nil, err
	}
	if parent.Scheme == "https" {
		conn = tls.Client(conn, &tls.Config{ServerName: parent.Hostname(), MinVersion: tls.VersionTLS12})
	}
	_ = conn.SetDeadline(time.Now().Add(onwardTime))
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	err = askForTunnel(conn, parent, t)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	_ = conn.SetDeadline(time.Time{})
	return &meter{
		Conn: conn,
		idle: p.idle,
		done: p.watch.Moved,
	}, nil
}

// askForTunnel sends CONNECT and reads the head of the answer.
func askForTunnel(conn net.Conn, parent *url.URL, t Target) error {
	head := "CONNECT " + t.String() + " HTTP/1.1\r\nHost: " + t.String() + "\r\n"
	if u := parent.User; u != nil {
		password, _ := u.Password()
		credentials := base64.StdEncoding.EncodeToString([]byte(u.Username() + ":" + password))
		head += "Proxy-Authorization: Basic " + credentials + "\r\n"
	}
	if _, err := io.WriteString(conn, head+"\r\n"); err != nil {
		return fmt.Errorf("asking this machine's own proxy for a tunnel to %s: %w", t, err)
	}
	answer, err := readHead(conn)
	if err != nil {
		return fmt.Errorf("reading the answer of this machine's own proxy about %s: %w", t, err)
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("this machine's own proxy refused a tunnel to %s: status %d", t, answer.StatusCode)
	}
	return nil
}

// readHead reads the head of an answer to CONNECT. It reads no further byte, because what follows comes from the host.
func readHead(from io.Reader) (*http.Response, error) {
	var head []byte
	one := make([]byte, 1)
	for !bytes.HasSuffix(head, []byte("\r\n\r\n")) {
		if len(head) == maxHeader {
			return nil, fmt.Errorf("the head of the answer is longer than %d bytes", maxHeader)
		}
		if _, err := io.ReadFull(from, one); err != nil {
			return nil, err
		}
		head = append(head, one[0])
	}
	return http.ReadResponse(bufio.NewReader(bytes.NewReader(head)), &http.Request{Method: http.MethodConnect})
}
