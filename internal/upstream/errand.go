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

// errand carries the requests that a server makes necessary and that are not for
// its MCP endpoint.
type errand struct {
	spec Spec
	vet  func(*url.URL, netip.Addr) error
}

// Errands is the way for requests that a server's own words lead to, such as those
// for a token. They use the server's proxy and the authorities that are believed of
// it; its certificate of ours and its other TLS settings are for its own host alone.
// Nothing but https leaves this machine. Vet is asked before a connection to a
// machine is opened; the address of a name that a proxy resolves is not known, and
// not asked about.
func Errands(spec Spec, vet func(*url.URL, netip.Addr) error) http.RoundTripper {
	return errand{spec, vet}
}

// RoundTrip sends one request over a connection of its own: errands are rare.
func (e errand) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := e.send(r)
	if err != nil && r.Body != nil {
		r.Body.Close()
	}
	return resp, err
}

func (e errand) send(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" && !(r.URL.Scheme == "http" && mcpproxy.LoopbackHost(r.URL.Hostname())) {
		return nil, fmt.Errorf("refusing to go to %s without encryption", r.URL.Host)
	}
	t := httpTransport.Clone()
	t.DisableKeepAlives = true
	if err := configure(t, e.at(r.URL)); err != nil {
		return nil, err
	}
	if t.Proxy != nil {
		via, err := t.Proxy(r)
		if err != nil {
			return nil, err
		}
		if via != nil {
			return e.proxied(t, r)
		}
	}
	t.Proxy = nil
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return dialVetted(ctx, network, address, func(ip netip.Addr) error { return e.vet(r.URL, ip) })
	}
	return checked{t}.RoundTrip(r)
}

// proxied asks about an address that stands in the URL itself.
func (e errand) proxied(t *http.Transport, r *http.Request) (*http.Response, error) {
	if ip, err := netip.ParseAddr(r.URL.Hostname()); err == nil {
		if err := e.vet(r.URL, ip); err != nil {
			return nil, err
		}
	}
	return checked{t}.RoundTrip(r)
}

// at is what of the spec holds for requests to u.
func (e errand) at(u *url.URL) Spec {
	spec := e.spec
	if own, err := url.Parse(spec.URL); spec.TLS == nil || err == nil && own.Host == u.Host {
		return spec
	}
	spec.TLS, spec.URL = &TLS{CAFile: spec.TLS.CAFile, MinVersion: spec.TLS.MinVersion, Insecure: spec.TLS.Insecure}, u.String()
	return spec
}

// dialVetted connects to an address whose every IP address vet has seen.
func dialVetted(ctx context.Context, network, address string, vet func(netip.Addr) error) (net.Conn, error) {
	return dialWith(ctx, network, address, func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("connecting to %s: %w", address, err)
		}
		return vet(at.Addr())
	})
}
