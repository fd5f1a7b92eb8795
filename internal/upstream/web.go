package upstream

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"mcpproxy"
)

// TLS holds the settings of a connection to an https server.
type TLS struct {
	CAFile     string // PEM; trusted in addition to the system's authorities
	CertFile   string // PEM
	KeyFile    string // PEM
	ServerName string
	MinVersion uint16 // tls.VersionTLS12 when 0
	Insecure   bool   // skip verification; only for servers on this machine
}

// NoProxy is the value of Spec.Proxy that disables the proxy.
const NoProxy = "none"

// dialTimeout limits opening a TCP connection.
const dialTimeout = 10 * time.Second

// web returns the HTTP client of the server's links. The client checks every request: credentials
// do not leave this machine unencrypted.
func (s *Server) web() (*http.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client != nil {
		return s.client, nil
	}
	t := httpTransport
	if s.spec.TLS != nil || s.spec.Proxy != "" {
		t = httpTransport.Clone()
		if err := configure(t, s.spec); err != nil {
			return nil, err
		}
	}
	s.client = &http.Client{Transport: checked{t}, CheckRedirect: sameOrigin}
	if s.spec.Credentials != nil {
		u, err := url.Parse(s.spec.URL)
		if err != nil {
			return nil, fmt.Errorf("the address of the server is not allowed: %w", err)
		}
		s.client.Transport = bearing{checked{t}, u, s.spec.Credentials}
	}
	return s.client, nil
}

// do sends a request. Its errors omit the URL, because URLs of servers may contain keys and errors
// are logged.
func do(c *http.Client, r *http.Request) (*http.Response, error) {
	resp, err := c.Do(r)
	return resp, unaddressed(err)
}

// unaddressed returns err without its URL.
func unaddressed(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// closeIdle closes idle connections that only this server's links use.
func (s *Server) closeIdle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil {
		return
	}
	way := s.client.Transport
	if b, ok := way.(bearing); ok {
		way = b.checked
	}
	if c, ok := way.(checked); ok && c.Transport != httpTransport {
		c.CloseIdleConnections()
	}
}

func configure(t *http.Transport, spec Spec) (err error) {
	if spec.TLS != nil {
		if t.TLSClientConfig, err = spec.TLS.config(spec.URL); err != nil {
			return err
		}
	}
	switch spec.Proxy {
	case "":
	case NoProxy:
		t.Proxy = nil
	default:
		u, err := url.Parse(spec.Proxy)
		if err != nil {
			return fmt.Errorf("the address of the proxy is not allowed: %w", unaddressed(err))
		}
		t.Proxy = func(r *http.Request) (*url.URL, error) {
			if mcpproxy.LoopbackHost(r.URL.Hostname()) {
				return nil, nil // no proxy for requests to this machine
			}
			return u, nil
		}
	}
	return nil
}

func (o *TLS) config(address string) (*tls.Config, error) {
	c := &tls.Config{ServerName: o.ServerName, MinVersion: max(o.MinVersion, tls.VersionTLS12)}
	if u, err := url.Parse(address); o.Insecure && err == nil && mcpproxy.LoopbackHost(u.Hostname()) {
		c.InsecureSkipVerify = true
	}
	if o.CAFile != "" {
		pem, err := os.ReadFile(o.CAFile)
		if err != nil {
			return nil, fmt.Errorf("tls.ca_file: %w", err)
		}
		if c.RootCAs, err = x509.SystemCertPool(); err != nil {
			c.RootCAs = x509.NewCertPool()
		}
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("tls.ca_file: %s holds no certificate in PEM form", o.CAFile)
		}
	}
	if o.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("tls.cert_file: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// checked is a transport that refuses unencrypted credentials.
type checked struct{ *http.Transport }

// RoundTrip refuses to send a credential unencrypted to another machine, whichever code has added
// it to the request.
func (c checked) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme == "http" && !mcpproxy.LoopbackHost(r.URL.Hostname()) {
		for name := range r.Header {
			if mcpproxy.SensitiveHeader(name) {
				if r.Body != nil {
					r.Body.Close()
				}
				return nil, fmt.Errorf(
					"refusing to send the header %s to %s without encryption: use an https url",
					name,
					r.URL.Hostname(),
				)
			}
		}
	}
	return c.Transport.RoundTrip(r)
}

// dial connects to an address. It resolves localhost to this machine without DNS.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	return dialWith(ctx, network, address, nil)
}

// dialWith returns dial with a check of every IP address of the name.
func dialWith(
	ctx context.Context,
	network, address string,
	control func(network, address string, c syscall.RawConn) error,
) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second, Control: control}
	host, port, err := net.SplitHostPort(address)
	if err != nil || !strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return d.DialContext(ctx, network, address)
	}
	conn, err := d.DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		if six, sixErr := d.DialContext(ctx, network, net.JoinHostPort("::1", port)); sixErr == nil {
			return six, nil
		}
	}
	return conn, err
}
