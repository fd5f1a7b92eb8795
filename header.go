package mcpproxy

import (
	"net/netip"
	"strings"
)

// sensitiveWords occur in the names of headers that carry credentials.
var sensitiveWords = []string{"authorization", "cookie", "token", "key", "secret", "credential", "password"}

// SensitiveHeader reports whether a header of that name carries a credential. Such a header must not be sent over an
// unencrypted connection.
func SensitiveHeader(name string) bool {
	name = strings.ToLower(name)
	for _, word := range sensitiveWords {
		if strings.Contains(name, word) {
			return true
		}
	}
	return name == "x-auth" || strings.HasPrefix(name, "x-auth-")
}

// LoopbackHost reports whether host, given without a port, is this machine. Data that is sent to it never reaches a
// network. The only name that it accepts is localhost, because other names can resolve to any address.
func LoopbackHost(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.Unmap().IsLoopback()
}
