package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"mcpproxy/internal/upstream"
)

// LogoutResult says what a logout did beside forgetting.
type LogoutResult struct {
	Server  string `json:"server"`
	Issuer  string `json:"issuer"`
	Revoked bool   `json:"revoked"`
	// Until is the time at which a token that was not revoked expires; zero when
	// nobody knows, or there is none.
	Until time.Time `json:"until,omitzero"`
	// Problem is why it was not revoked; "" when it was.
	Problem string `json:"problem,omitempty"`
}

// ErrNoLogin says that there is nothing to log out of.
var ErrNoLogin = errors.New("nobody is logged in")

// Logout forgets a server's grant, and revokes it where its issuer can do that. It
// works for servers that are not configured any more, and fails with [ErrNoLogin]
// or when the store cannot be changed.
func (a *Account) Logout(ctx context.Context) (*LogoutResult, error) {
	g, err := a.store.Remove(ctx, a.spec.Name)
	if err != nil {
		return nil, err
	}
	if g == nil {
		return nil, ErrNoLogin
	}
	result := &LogoutResult{Server: g.Server, Issuer: g.Issuer}
	if !a.settings.fits(g, a.spec.Name, a.spec.URL) { // it is of an earlier configuration
		a = New(upstream.Spec{Name: g.Server, URL: g.URL}, Settings{}, a.store)
	}
	if result.Revoked, err = a.revoke(ctx, g); err != nil {
		result.Problem, result.Until = err.Error(), g.Expires
	}
	return result, nil
}

// Leave returns an account that can do nothing but [Account.Logout], for a server
// that the configuration does not name.
func Leave(server string, store *Store) *Account {
	return New(upstream.Spec{Name: server}, Settings{}, store)
}

// revoke has an issuer forget the tokens of a grant (RFC 7009). Without tokens there
// is nothing to do.
func (a *Account) revoke(ctx context.Context, g *Grant) (done bool, err error) {
	if g.Secrets.Access == "" && g.Secrets.Refresh == "" {
		return false, nil
	}
	if g.RevokeURL == "" {
		return false, fmt.Errorf("%s has no way to revoke a token", clean(g.Issuer))
	}
	id := a.settings.of(g)
	for _, t := range []struct{ token, hint string }{{g.Secrets.Refresh, "refresh_token"}, {g.Secrets.Access, "access_token"}} {
		if t.token == "" {
			continue
		}
		status, err := post(ctx, a.client, g.RevokeURL, id, url.Values{"token": {t.token}, "token_type_hint": {t.hint}})
		if err != nil {
			return false, errors.New(clean(err.Error(), append(g.hidden(), id.secret)...))
		}
		if status != 200 && status != 204 {
			return false, fmt.Errorf("%s did not revoke the token: HTTP status %d", clean(g.Issuer), status)
		}
	}
	return true, nil
}
