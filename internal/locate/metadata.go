package locate

import (
	"net/netip"
	"slices"
	"strings"
)

// metadataHosts hand out what a machine of a cloud may do, credentials included, to whatever
// runs on it. Sources: the documentation of AWS, Azure, Google Cloud, Alibaba and Oracle.
var metadataHosts = []string{
	"169.254.169.254", "169.254.170.2", "169.254.170.23", "168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254",
	"metadata", "metadata.google.internal", "metadata.goog", "metadata.azure.internal", "instance-data", "instance-data.ec2.internal",
}

// wildcardDNS are domains under which the name of an address stands for the address.
var wildcardDNS = []string{".nip.io", ".sslip.io", ".xip.io"}

// Metadata reports whether host, in any notation, is the metadata service of a cloud, or any
// other address that is good on this link only: no site of anybody is there.
func Metadata(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	for _, domain := range wildcardDNS {
		if name, ok := strings.CutSuffix(host, domain); ok {
			host = strings.ReplaceAll(name[max(len(name)-len("255.255.255.255"), 0):], "-", ".")
		}
	}
	if ip, ok := IP(host); ok { // also as 2852039166 or 0xa9fea9fe
		ip = ip.Unmap()
		return linkLocal.Contains(ip) || slices.Contains(metadataHosts, ip.String())
	}
	return slices.Contains(metadataHosts, host)
}

// linkLocal are the addresses of RFC 3927.
var linkLocal = netip.MustParsePrefix("169.254.0.0/16")
