// Package zone classifies IP addresses by the place from which they can be reached: from everywhere, from a private
// network, from this machine only, or from nowhere. The checks of addresses in mcpproxy use this package, so that they
// agree.
package zone

import "net/netip"

// Zone is the place from which an IP address can be reached.
type Zone int

// The zones, from the narrowest to the widest.
const (
	Nowhere   Zone = iota // link-local, multicast, unspecified, and metadata services of clouds
	Machine               // loopback
	Private               // private networks
	Worldwide             // public addresses
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
	// carriers are the IPv6 ranges whose addresses embed an IPv4 address, with the byte offset of that address.
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

// Of returns the zone of an address. For an IPv6 address that embeds an IPv4 address, it is the zone of the latter.
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

// String returns the zone as words that can follow "an address of".
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
