package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"mcpproxy/internal/upstream"
)

// LogoutResult says what a logout did besides removing the grant.
type LogoutResult struct {
	Server  string `json:"server"`
	Issuer  string `json:"issuer"`
	Revoked bool   `json:"revoked"`
	// Until is the expiry of a token that was not revoked; zero if it is unknown or there is no
	// such token.
	Until time.Time `json:"until,omitzero"`
	// Problem is the reason why the token was not revoked; "" if it was.
	Problem string `json:"problem,omitempty"`
}

// ErrNoLogin is returned if there is no login to end.
var ErrNoLogin = errors.New("nobody is logged in")

// Logout removes a server's grant from the store, and revokes it if the issuer supports that. It
// also works for servers that are no longer configured. It fails with [ErrNoLogin], or if the store
// cannot be changed.
func (a *Account) Logout(ctx context.Context) (*LogoutResult, error) {
	g, err := a.store.Remove(ctx, a.spec.Name)
	if err != nil {
		return nil, err
	}
	if g == nil {
		return nil, ErrNoLogin
	}
	result := &LogoutResult{Server: g.Server, Issuer: g.Issuer}
	if !a.settings.fits(g, a.spec.Name, a.spec.URL) { // the grant belongs to an earlier configuration
		a = New(upstream.Spec{Name: g.Server, URL: g.URL}, Settings{}, a.store)
	}
	if result.Revoked, err = a.revoke(ctx, g); err != nil {
		result.Problem, result.Until = err.Error(), g.Expires
	}
	return result, nil
}

// Leave returns an account on which only [Account.Logout] works, for a server that is not
// configured.
func Leave(server string, store *Store) *Account {
	return New(upstream.Spec{Name: server}, Settings{}, store)
}

// revoke asks the issuer to revoke the tokens of a grant (RFC 7009). It does nothing if there are
// no tokens.
func (a *Account) revoke(ctx context.Context, g *Grant) (done bool, err error) {
	if g.Secrets.Access == "" && g.Secrets.Refresh == "" {
		return false, nil
	}
	if g.RevokeURL == "" {
		return false, fmt.Errorf("%s does not support the revocation of tokens", clean(g.Issuer))
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
