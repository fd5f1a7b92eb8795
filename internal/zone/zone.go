// Package zone says from where an IP address can be reached: by anybody, in a private network, from this machine, or
// nowhere. What decides whether a name may lead to an address asks here, so that all of mcpproxy draws the same lines.
package zone

import "net/netip"

// Zone says from where an IP address can be reached.
type Zone int

// The zones, from the narrowest to the widest.
const (
	Nowhere   Zone = iota // the local link, services of clouds to their machines, no address of one machine
	Machine               // this one
	Private               // a network of the owner's
	Worldwide             // anywhere
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

// Of is the zone of an address. What carries an IPv4 address inside counts as that.
func Of(ip netip.Addr) Zone {
	ip = ip.Unmap().WithZone("")
	if !ip.IsValid() {
		return Nowhere
	}
	for i, list := range [][]netip.Prefix{nowheres, machines, privates} {
		for _, p := range list {
			if p.Contains(ip) {
				return Zone(i)
			}
		}
	}
	for p, at := range carriers {
		if raw := ip.As16(); ip.Is6() && p.Contains(ip) {
			return Of(netip.AddrFrom4([4]byte(raw[at : at+4])))
		}
	}
	return Worldwide
}

// String is the zone in words, after "an address of".
func (z Zone) String() string {
	switch z {
	case Machine:
		return "this machine"
	case Private:
		return "a private network"
	case Worldwide:
		return "the internet"
	}
	return "the local link, a cloud's metadata service or no machine"
}
