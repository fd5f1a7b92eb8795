package api

import (
	"net"
	"net/http"
	"net/netip"
)

// near lets through who is on this machine, without a key: a Prometheus beside the
// daemon needs no configuration. Others need the key: metrics name servers and
// tools.
func (s *server) near(next http.Handler) http.Handler {
	keyed := s.keyed(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		if ip, err := netip.ParseAddr(host); err == nil && ip.Unmap().IsLoopback() {
			next.ServeHTTP(w, r)
			return
		}
		keyed.ServeHTTP(w, r)
	})
}
