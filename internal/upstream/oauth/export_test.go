package oauth

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"mcpproxy/internal/upstream"
)

// SetClock gives a new account another clock.
func (a *Account) SetClock(now func() time.Time) { a.now = now }

// SetLoginTime sets the maximum time for a login at a new account.
func (a *Account) SetLoginTime(d time.Duration) { a.loginTime = d }

// Clean returns clean.
func Clean(words string, secrets ...string) string { return clean(words, secrets...) }

// Covers is covers.
func Covers(resource, server string) bool {
	u, err := url.Parse(server)
	return err == nil && covers(resource, u)
}

// Parse returns parse.
func Parse(raw []byte) error {
	_, err := parse(raw)
	return err
}

// Vet returns the decision about a request to target at ip, which a server has caused. The server's name has the given
// addresses, and its owner has configured the issuer.
func Vet(server string, addresses []netip.Addr, issuer, target string, ip netip.Addr) error {
	u, err := url.Parse(server)
	if err != nil {
		return err
	}
	to, err := url.Parse(target)
	if err != nil {
		return err
	}
	r := newReach(u, issuer)
	r.lookup = fixed(addresses).lookup
	return r.vet(to, ip)
}

type fixed []netip.Addr

func (f fixed) lookup(context.Context, string, string) ([]netip.Addr, error) { return f, nil }

// Lacks returns the command that Refused names for a challenge.
func (a *Account) Lacks(h http.Header) error {
	_, err := a.Refused(context.Background(), upstream.Refusal{Status: http.StatusForbidden, Header: h})
	return err
}
