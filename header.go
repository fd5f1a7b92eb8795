package mcpproxy

import (
	"net/netip"
	"strings"
)

// sensitiveWords stand in the names of headers that carry credentials.
var sensitiveWords = []string{"authorization", "cookie", "token", "key", "secret", "credential", "password"}

// SensitiveHeader reports whether a header of that name carries a credential, so
// that it must not travel over a connection that others can read.
func SensitiveHeader(name string) bool {
	name = strings.ToLower(name)
	for _, word := range sensitiveWords {
		if strings.Contains(name, word) {
			return true
		}
	}
	return name == "x-auth" || strings.HasPrefix(name, "x-auth-")
}

// LoopbackHost reports whether host, without a port, is this machine: what is
// sent there is on no wire. A name other than localhost can point anywhere.
func LoopbackHost(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.Unmap().IsLoopback()
}
