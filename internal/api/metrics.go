package api

import (
	"net"
	"net/http"
	"net/netip"

	"mcpproxy/internal/auth"
)

// near lets through who is on this machine and shows no key: a Prometheus beside
// the daemon needs no configuration. Others need one, for metrics name servers and
// tools; and who shows one is asked whether it is good, wherever he is.
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
