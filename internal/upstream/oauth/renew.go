package oauth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"mcpproxy"
)

// renewal is one renewal of a token. All requests that need the token wait for the same renewal.
type renewal struct {
	done  chan struct{} // closed when grant and err have been set
	grant *Grant
	err   error
}

// renew replaces the token of g by a new one. It continues even if the caller stops waiting,
// because a token that the authorization server has issued must be stored.
func (a *Account) renew(ctx context.Context, g *Grant) (*Grant, error) {
	a.mu.Lock()
	if a.renewal == nil {
		if now := a.grant; now != nil && !now.sameAs(g) && now.fresh(a.now()) {
			a.mu.Unlock()
			return now, nil // another goroutine has renewed it
		}
		if a.failed != nil && a.now().Before(a.retry) {
			defer a.mu.Unlock()
			return nil, a.failed
		}
		r := &renewal{done: make(chan struct{})}
		a.renewal = r
		end := a.store.begin()
		go func() {
			defer end()
			a.run(r, g)
		}()
	}
	r := a.renewal
	a.mu.Unlock()
	select {
	case <-r.done:
		return r.grant, r.err
	case <-ctx.Done():
		return nil, a.providerFailed(g, errors.New("no answer in time")).Later(providerDown)
	}
}

// providerDown is the advice if an authorization server is unavailable.
const providerDown = "try again in a few seconds; the login is still valid"

// providerFailed returns the error of a call that failed because an authorization server issued no
// token. The message names the host, not the URL, because URLs are removed from the messages to agents.
func (a *Account) providerFailed(g *Grant, why error) *mcpproxy.Error {
	host := g.Issuer
	if u, err := url.Parse(g.Issuer); err == nil && u.Hostname() != "" {
		host = u.Hostname()
	}
	return mcpproxy.Errorf(
		mcpproxy.CodeUpstream,
		fmt.Errorf("%s: %w", g.Issuer, why),
		"the authorization server %s did not renew the token of server %q",
		host,
		a.spec.Name,
	)
}

func (a *Account) run(r *renewal, g *Grant) {
	next, err := a.exchange(context.Background(), g) // each of its steps has its own time limit
	a.mu.Lock()
	r.grant = next
	r.err = err
	a.renewal = nil
	switch {
	case err == nil:
		if a.failed != nil {
			slog.Info("renewing the token of a server works again", "server", a.spec.Name, "issuer", g.Issuer)
		}
		a.grant, a.failed = next, nil
	case isLogin(err):
		a.grant = nil // the store may have a newer grant
	default:
		if a.failed == nil {
			slog.Warn("cannot renew the token of a server", "server", a.spec.Name, "error", err)
		}
		a.failed, a.retry = err, a.now().Add(retryPause)
	}
	a.mu.Unlock()
	close(r.done)
}

// exchange exchanges the refresh token of g for new tokens, unless the store has another grant by
// now. It locks out other processes, because an authorization server that receives a refresh token
// twice considers it stolen and ends the login.
func (a *Account) exchange(ctx context.Context, g *Grant) (*Grant, error) {
	unlock, err := a.store.lockRenewal(ctx, a.spec.Name)
	if err != nil {
		return nil, a.providerFailed(g, fmt.Errorf("another process holds the lock: %w", err)).Later(providerDown)
	}
	defer unlock()
	stored, err := a.find()
	switch {
	case err != nil:
		return nil, err
	case stored == nil:
		return nil, a.wantsLogin(neverLoggedIn)
	case !stored.sameAs(g) && stored.fresh(a.now()):
		return stored, nil
	case stored.Secrets.Refresh == "":
		return nil, a.wantsLogin(loginExpired)
	}
	token, err := a.token(ctx, stored)
	if err != nil {
		return nil, a.unrenewed(ctx, stored, err)
	}
	next := *stored
	next.Serial++
	next.receive(token, a.now())
	return a.settle(ctx, stored, &next)
}

// settle stores a renewed grant. If somebody has logged in or out meanwhile, it revokes the grant
// instead.
func (a *Account) settle(ctx context.Context, old, next *Grant) (*Grant, error) {
	kept, err := a.store.Swap(ctx, old, next)
	switch {
	case err != nil:
		slog.Warn(
			"cannot store the renewed token of a server; mcpproxy uses it, and tries to store it again."+
				" If mcpproxy is killed before that, a person has to log in again",
			"server", a.spec.Name, "error", err)
		return next, nil
	case kept == next:
		return next, nil
	}
	if kept == nil || kept.Login != next.Login {
		_, _ = a.revoke(ctx, next) // only this process has it
	}
	if kept == nil || !a.settings.fits(kept, a.spec.Name, a.spec.URL) {
		return nil, a.wantsLogin(neverLoggedIn)
	}
	return kept, nil
}

// token asks for a token in exchange for a refresh token.
func (a *Account) token(ctx context.Context, g *Grant) (*oauth2.Token, error) {
	id := a.settings.of(g)
	c := clientcredentials.Config{
		ClientID:     id.id,
		ClientSecret: id.secret,
		TokenURL:     g.TokenURL,
		AuthStyle:    id.style(),
		EndpointParams: url.Values{
			"grant_type":    {"refresh_token"},
			"refresh_token": {g.Secrets.Refresh},
			"resource":      {g.Resource},
		},
	}
	return checkToken(c.Token(context.WithValue(ctx, oauth2.HTTPClient, a.client)))
}

// checkToken refuses tokens that are not bearer tokens.
func checkToken(t *oauth2.Token, err error) (*oauth2.Token, error) {
	if err == nil && !strings.EqualFold(t.Type(), "Bearer") {
		return nil, fmt.Errorf("the token is of the type %q, and mcpproxy supports Bearer only", clean(t.TokenType))
	}
	if err == nil && strings.ContainsFunc(t.AccessToken, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the token contains characters that a header cannot have")
	}
	return t, err
}

// receive updates the grant with a token endpoint's answer. Values that the answer omits stay.
func (g *Grant) receive(t *oauth2.Token, now time.Time) {
	g.Obtained, g.Expires = now.UTC(), time.Time{}
	if !t.Expiry.IsZero() {
		g.Expires = now.Add(time.Until(t.Expiry)).UTC()
	}
	g.Secrets.Access = t.AccessToken
	if t.RefreshToken != "" {
		g.Secrets.Refresh = t.RefreshToken
	}
	if scope, ok := t.Extra("scope").(string); ok && scope != "" {
		g.Scopes = strings.Fields(scope)
	}
}

// unrenewed returns the error for a token that could not be renewed. If the authorization server
// says that the login has ended, it removes the tokens.
func (a *Account) unrenewed(ctx context.Context, g *Grant, err error) error {
	why := refusal(err, append(g.hidden(), a.settings.ClientSecret)...)
	if !isFinal(err, g.Registered) {
		e := a.providerFailed(g, why)
		if errorCode(err) != "" { // the server works, but refuses
			return e.Later("try again later; the owner of mcpproxy finds the reason in its log")
		}
		return e.Later(providerDown)
	}
	over := *g
	over.Serial++
	over.Secrets = Secrets{Client: g.Secrets.Client}
	if errorCode(err) == "invalid_client" {
		over.RedirectURI, over.Secrets = "", Secrets{} // the next login registers again
	}
	kept, swapErr := a.store.Swap(ctx, g, &over)
	if swapErr != nil {
		slog.Warn("cannot remove an ended login", "server", a.spec.Name, "error", swapErr)
	}
	if kept != nil && kept != &over && kept.fresh(a.now()) && a.settings.fits(kept, a.spec.Name, a.spec.URL) {
		return mcpproxy.Errorf(mcpproxy.CodeUpstream, nil, "server %q has a new login", a.spec.Name).
			Later("try again now")
	}
	slog.Warn("the login to a server has ended", "server", a.spec.Name, "issuer", g.Issuer, "reason", why)
	return a.wantsLogin(loginEnded)
}

// isFinal reports whether a refusal is permanent. An unknown client id from the configuration is
// not permanent, because the owner can correct it.
func isFinal(err error, registered bool) bool {
	switch errorCode(err) {
	case "invalid_grant",
		"unauthorized_client",
		"invalid_scope",
		"invalid_target",
		"unsupported_grant_type",
		"invalid_request":
		return true
	case "invalid_client":
		return registered
	}
	return false
}

// errorCode returns the error code of a token endpoint's refusal; "" for other errors. An answer
// with a status of failure or overload does not count as a refusal, whatever its body says.
func errorCode(err error) string {
	e, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok || e.Response == nil {
		return ""
	}
	switch status := e.Response.StatusCode; {
	case status >= http.StatusInternalServerError,
		status == http.StatusTooManyRequests,
		status == http.StatusRequestTimeout:
		return ""
	}
	return e.ErrorCode
}
