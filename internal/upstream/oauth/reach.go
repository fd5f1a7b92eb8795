package oauth

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"sync"

	"mcpproxy"
)

// zone says from where an IP address can be reached.
type zone int

const (
	nowhere   zone = iota // the local link, services of clouds to their machines, no address of one machine
	machine               // this one
	private               // a network of the owner's
	worldwide             // anywhere
)

var (
	nowheres = prefixes("0.0.0.0/8", "169.254.0.0/16", "fe80::/10", "224.0.0.0/3", "ff00::/8", "::/128",
		"100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32", "fd00:ec2::/32", "fd20:ce::254/128")
	privates = prefixes(
		"10.0.0.0/8",
		"172.16.0.0/12",
		"192.168.0.0/16",
		"100.64.0.0/10",
		"192.0.0.0/24",
		"198.18.0.0/15",
		"fc00::/7",
		"fec0::/10",
	)
	machines = prefixes("127.0.0.0/8", "::1/128")
	// carriers are ranges whose addresses stand for IPv4 ones, and where those begin.
	carriers = map[netip.Prefix]int{
		netip.MustParsePrefix("64:ff9b::/96"): 12,
		netip.MustParsePrefix("2002::/16"):    2,
		netip.MustParsePrefix("::/96"):        12,
	}
)

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, p := range list {
		out[i] = netip.MustParsePrefix(p)
	}
	return out
}

// zoneOf is the zone of an address. What carries an IPv4 address inside counts as that.
func zoneOf(ip netip.Addr) zone {
	ip = ip.Unmap().WithZone("")
	if !ip.IsValid() {
		return nowhere
	}
	for i, list := range [][]netip.Prefix{nowheres, machines, privates} {
		for _, p := range list {
			if p.Contains(ip) {
				return zone(i)
			}
		}
	}
	for p, at := range carriers {
		if raw := ip.As16(); ip.Is6() && p.Contains(ip) {
			return zoneOf(netip.AddrFrom4([4]byte(raw[at : at+4])))
		}
	}
	return worldwide
}

// reach decides how far the words of one server lead: a public server names no
// private address, and nothing names what only this machine can see.
type reach struct {
	server *url.URL
	named  map[string]bool // hosts that the owner named; they are reached wherever they are
	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)

	once sync.Once
	from zone // of the server
}

// newReach is the reach of the server at u, whose owner also named the issuer.
func newReach(u *url.URL, issuer string) *reach {
	r := &reach{server: u, named: map[string]bool{u.Host: true}, lookup: net.DefaultResolver.LookupNetIP}
	if i, err := url.Parse(issuer); err == nil && i.Host != "" {
		r.named[i.Host] = true
	}
	return r
}

// vet refuses to connect to ip for a request to u.
func (r *reach) vet(u *url.URL, ip netip.Addr) error {
	if r.named[u.Host] {
		return nil
	}
	r.once.Do(func() { r.from = r.zone() })
	switch to := zoneOf(ip); {
	case to == worldwide, to == private && r.from != worldwide, to == machine && r.from == machine:
		return nil
	}
	return fmt.Errorf(
		"refusing to connect to %s (%s), where the words of %s lead",
		u.Hostname(),
		ip,
		r.server.Hostname(),
	)
}

// zone is the widest zone of the server's own addresses; worldwide when they are
// not known.
func (r *reach) zone() zone {
	host := r.server.Hostname()
	if mcpproxy.LoopbackHost(host) {
		return machine
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return zoneOf(ip)
	}
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	all, err := r.lookup(ctx, "ip", host)
	widest := nowhere
	for _, ip := range all {
		widest = max(widest, zoneOf(ip))
	}
	if err != nil || widest == nowhere {
		return worldwide
	}
	return widest
}
