package api

import (
	"net"
	"net/http"
	"net/netip"

	"mcpproxy/internal/auth"
)

// near serves requests from this machine without a key, so that a local Prometheus needs no
// configuration. Other requests need a key, because metrics contain the names of servers and tools.
// A key that is sent is always checked.
func (s *server) near(next http.Handler) http.Handler {
	keyed := s.keyed(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		if ip, err := netip.ParseAddr(host); err == nil && ip.Unmap().IsLoopback() && !auth.Shown(r) {
			next.ServeHTTP(w, r)
			return
		}
		keyed.ServeHTTP(w, r)
	})
}
