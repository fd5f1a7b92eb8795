package egress

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// ServerName is serverName.
var ServerName = serverName

// Resolve makes the proxy find these addresses for every name.
func (p *Proxy) Resolve(f func(host string) []netip.Addr) {
	p.lookup = func(_ context.Context, _, host string) ([]netip.Addr, error) { return f(host), nil }
}

// Fail makes the proxy find no address for a host. Other names resolve as before.
func (p *Proxy) Fail(unknown string) {
	before := p.lookup
	p.lookup = func(ctx context.Context, network, host string) ([]netip.Addr, error) {
		if host == unknown {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		return before(ctx, network, host)
	}
}

// Idle sets the time after which a connection without traffic is closed.
func (p *Proxy) Idle(d time.Duration) { p.idle = d }
