package upstream

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"

	"mcpproxy"
)

// sideRequest is the transport that [SideRequests] returns.
type sideRequest struct {
	spec Spec
	vet  func(*url.URL, netip.Addr) error
}

// SideRequests returns a transport for requests to addresses that a server has named, other
// than its MCP endpoint: for example, the address for OAuth tokens. The requests use the
// proxy and the certificate authorities of the server. The client certificate and the other
// TLS settings apply to the server's own host only. Requests to other machines must use
// https. The transport calls vet with each IP address before it connects. If a proxy resolves
// the name, the address is unknown and vet is not called.
func SideRequests(spec Spec, vet func(*url.URL, netip.Addr) error) http.RoundTripper {
	return sideRequest{spec, vet}
}

// RoundTrip sends one request over a new connection, because side requests are rare.
func (s sideRequest) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := s.send(r)
	if err != nil && r.Body != nil {
		r.Body.Close()
	}
	return resp, err
}

func (s sideRequest) send(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" && !(r.URL.Scheme == "http" && mcpproxy.LoopbackHost(r.URL.Hostname())) {
		return nil, fmt.Errorf("refusing to go to %s without encryption", r.URL.Host)
	}
	t := httpTransport.Clone()
	t.DisableKeepAlives = true
	if err := configure(t, s.at(r.URL)); err != nil {
		return nil, err
	}
	if t.Proxy != nil {
		via, err := t.Proxy(r)
		if err != nil {
			return nil, err
		}
		if via != nil {
			return s.proxied(t, r)
		}
	}
	t.Proxy = nil
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return dialVetted(ctx, network, address, func(ip netip.Addr) error { return s.vet(r.URL, ip) })
	}
	return checked{t}.RoundTrip(r)
}

// proxied sends a request through the proxy. It vets an IP address in the URL itself.
func (s sideRequest) proxied(t *http.Transport, r *http.Request) (*http.Response, error) {
	if ip, err := netip.ParseAddr(r.URL.Hostname()); err == nil {
		if err := s.vet(r.URL, ip); err != nil {
			return nil, err
		}
	}
	return checked{t}.RoundTrip(r)
}

// at returns the spec for requests to u: without the client certificate and the server name
// if u is on another host.
func (s sideRequest) at(u *url.URL) Spec {
	spec := s.spec
	if own, err := url.Parse(spec.URL); spec.TLS == nil || err == nil && own.Host == u.Host {
		return spec
	}
	spec.TLS, spec.URL = &TLS{
		CAFile:     spec.TLS.CAFile,
		MinVersion: spec.TLS.MinVersion,
		Insecure:   spec.TLS.Insecure,
	}, u.String()
	return spec
}

// dialVetted connects to an address after vet has accepted the IP address.
func dialVetted(ctx context.Context, network, address string, vet func(netip.Addr) error) (net.Conn, error) {
	return dialWith(ctx, network, address, func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("connecting to %s: %w", address, err)
		}
		return vet(at.Addr())
	})
}
