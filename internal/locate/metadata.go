package locate

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// metadataHosts are the metadata services of clouds. They give a machine's permissions, including credentials, to any
// program that runs on it. Sources: the documentation of AWS, Azure, Google Cloud, Alibaba, Oracle, IBM, Tencent and
// Equinix.
var metadataHosts = []string{
	"168.63.129.16", "100.100.100.200", "192.0.0.192",
	"metadata", "metadata.google.internal", "metadata.goog", "metadata.azure.internal", "instance-data", "instance-data.ec2.internal",
	"metadata.tencentyun.com", "api.metadata.cloud.ibm.com", "metadata.packet.net", "metadata.platformequinix.com",
}

// linkNetworks are the link-local addresses, and the IPv6 networks of the metadata services of AWS, Google Cloud and
// Scaleway.
var linkNetworks = []netip.Prefix{
	netip.MustParsePrefix("169.254.0.0/16"), // RFC 3927
	netip.MustParsePrefix("fe80::/10"),      // RFC 4291
	netip.MustParsePrefix("fd00:ec2::/32"),
	netip.MustParsePrefix("fd20:ce::/32"),
	netip.MustParsePrefix("fd00:42::42/128"),
}

// wildcardDNS are domains in which a name that contains an address resolves to that address.
var wildcardDNS = []string{".nip.io", ".sslip.io", ".xip.io"}

// Metadata reports whether host, in any notation, is the metadata service of a cloud or another link-local address. No
// site has such an address.
func Metadata(host string) bool {
	host = plainHost(host)
	for _, domain := range wildcardDNS {
		if name, ok := strings.CutSuffix(host, domain); ok {
			return wildcard(name)
		}
	}
	if ip, ok := IP(host); ok { // also as 2852039166 or 0xa9fea9fe
		return isLink(ip)
	}
	return slices.ContainsFunc(metadataHosts, func(name string) bool {
		return host == name || strings.Contains(name, ".") && under(host, name)
	})
}

// plainHost returns a host in lower case, without brackets, percent escapes and trailing dots, and with ordinary dots.
func plainHost(host string) string {
	if strings.Contains(host, "%") && !strings.Contains(host, ":") { // the % of an IPv6 zone does not begin an escape
		if unescaped, err := url.PathUnescape(host); err == nil {
			host = unescaped
		}
	}
	host = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(host), "["), "]")
	if !isASCII(host) {
		host = ASCII(Dots(host))
	}
	return strings.TrimRight(strings.ToLower(host), ".")
}

// wildcard reports whether a name in one of wildcardDNS contains the address of a metadata service: as its last four
// numbers, or as an IPv6 address with dashes.
func wildcard(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if ip, err := netip.ParseAddr(strings.ReplaceAll(last, "-", ":")); err == nil {
		return isLink(ip)
	}
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '-' })
	for _, part := range [][]string{parts[max(0, len(parts)-4):], parts[max(0, len(parts)-1):]} {
		address := strings.Join(part, ".")
		if len(part) == 1 && len(address) == 8 {
			address = "0x" + address // a9fea9fe.nip.io
		}
		if ip, ok := IP(address); ok && isLink(ip) {
			return true
		}
	}
	return false
}

// isLink reports whether an address, or the IPv4 address in it, is a metadata service or link-local.
func isLink(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	is := func(ip netip.Addr) bool {
		return slices.Contains(metadataHosts, ip.String()) ||
			slices.ContainsFunc(linkNetworks, func(n netip.Prefix) bool { return n.Contains(ip) })
	}
	if is(ip) || !ip.Is6() {
		return is(ip)
	}
	inner, ok := embedded(ip)
	return ok && is(inner)
}

// embedded returns the IPv4 address that is reached through ip, by a gateway or by an old network stack.
func embedded(ip netip.Addr) (netip.Addr, bool) {
	b := ip.As16()
	switch {
	case netip.MustParsePrefix("64:ff9b::/96").Contains(ip), // NAT64
		netip.MustParsePrefix("::/96").Contains(ip): // IPv4-compatible
		return netip.AddrFrom4([4]byte(b[12:])), true
	case netip.MustParsePrefix("2002::/16").Contains(ip): // 6to4
		return netip.AddrFrom4([4]byte(b[2:6])), true
	}
	return netip.Addr{}, false
}
