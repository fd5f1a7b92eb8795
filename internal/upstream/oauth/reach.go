package oauth

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"sync"

	"mcpproxy"
	"mcpproxy/internal/zone"
)

// reach decides to which addresses one server can direct mcpproxy: a public server not to private
// addresses, and no server to addresses that only this machine can see.
type reach struct {
	server *url.URL
	named  map[string]bool // hosts that the owner configured; they are allowed at any address
	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)

	once sync.Once
	from zone.Zone // of the server
}

// newReach returns the reach of the server at u. The owner has also configured the issuer.
func newReach(u *url.URL, issuer string) *reach {
	r := &reach{server: u, named: map[string]bool{u.Host: true}, lookup: net.DefaultResolver.LookupNetIP}
	if i, err := url.Parse(issuer); err == nil && i.Host != "" {
		r.named[i.Host] = true
	}
	return r
}

// vet returns an error unless a request to u may connect to ip.
func (r *reach) vet(u *url.URL, ip netip.Addr) error {
	if r.named[u.Host] {
		return nil
	}
	r.once.Do(func() { r.from = r.zone() })
	switch to := zone.Of(ip); {
	case to == zone.Worldwide,
		to == zone.Private && r.from != zone.Worldwide,
		to == zone.Machine && r.from == zone.Machine:
		return nil
	}
	return fmt.Errorf(
		"refusing to connect to %s (%s), the address that %s gives",
		u.Hostname(),
		ip,
		r.server.Hostname(),
	)
}

// zone returns the widest zone of the server's own addresses; worldwide if they are not known.
func (r *reach) zone() zone.Zone {
	host := r.server.Hostname()
	if mcpproxy.LoopbackHost(host) {
		return zone.Machine
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return zone.Of(ip)
	}
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	all, err := r.lookup(ctx, "ip", host)
	widest := zone.Nowhere
	for _, ip := range all {
		widest = max(widest, zone.Of(ip))
	}
	if err != nil || widest == zone.Nowhere {
		return zone.Worldwide
	}
	return widest
}
