package egress

import (
	"context"
	"net/netip"
	"time"
)

// ServerName is serverName.
var ServerName = serverName

// Resolve makes the proxy find these addresses for every name.
func (p *Proxy) Resolve(f func(host string) []netip.Addr) {
	p.lookup = func(_ context.Context, _, host string) ([]netip.Addr, error) { return f(host), nil }
}

// Idle sets the time after which a connection ends on which nothing moves.
func (p *Proxy) Idle(d time.Duration) { p.idle = d }
