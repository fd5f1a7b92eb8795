package gateway

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"mcpproxy/internal/auth"
)

type trustedKey struct{}

// Trust marks the requests of a listener that only the owner can reach, such as a Unix socket of
// mode 0600. They need no key.
func Trust(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), trustedKey{}, true)))
	})
}

// Trusted reports whether a request came over a trusted listener.
func Trusted(r *http.Request) bool { return TrustedContext(r.Context()) }

// TrustedContext is [Trusted] for the context of a request.
func TrustedContext(ctx context.Context) bool { return ctx.Value(trustedKey{}) != nil }

// Guard refuses requests with a foreign Host or Origin before it reads anything else. This keeps web pages from
// reaching the listener through the user's browser, even if they point their own name at 127.0.0.1 (DNS rebinding).
// Every IP address is accepted as Host, because no page can own one. A name is accepted if it is one of this machine,
// or one of the hosts that own returns. Such a host may have a port, and its first label may be "*". Guard calls
// refused, which may be nil, with each refused request.
func Guard(
	own func() []string, refused func(*http.Request, *auth.Refusal), next http.Handler,
) http.Handler {
	foreign := &auth.Refusal{Status: http.StatusForbidden, Message: "this Host or Origin may not use mcpproxy"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if names := own(); !Trusted(r) && (!localHost(r.Host, names) || !localOrigin(r, names)) {
			if refused != nil {
				refused(r, foreign)
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(foreign.Status)
			_, _ = w.Write([]byte(`{"success":false,"error":"` + foreign.Message + `"}`))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func localHost(hostport string, own []string) bool {
	host := hostOf(hostport)
	if host == "" {
		return false
	}
	if net.ParseIP(host) != nil || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	if own, err := os.Hostname(); err == nil && strings.EqualFold(host, own) {
		return true
	}
	return slices.ContainsFunc(own, func(name string) bool {
		name = hostOf(name)
		if rest, wild := strings.CutPrefix(name, "*."); wild {
			_, parent, _ := strings.Cut(host, ".")
			return parent == rest
		}
		return name == host
	})
}

// localOrigin accepts requests without an Origin (agents send none) and those
// of this machine's own pages.
func localOrigin(r *http.Request, own []string) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	if net.ParseIP(hostOf(u.Host)) != nil && !net.ParseIP(hostOf(u.Host)).IsLoopback() {
		return strings.EqualFold(u.Host, r.Host)
	}
	return localHost(u.Host, own)
}

func hostOf(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	return strings.Trim(strings.ToLower(host), "[]")
}
