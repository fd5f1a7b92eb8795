package oauth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"mcpproxy/internal/upstream"
)

const (
	// retryPause is for how long a renewal that failed is not tried again.
	retryPause = 2 * time.Second
	// aliveWait is how long a request waits for a new token while the old one has not expired.
	aliveWait = 2 * time.Second
	// banTime is for how long a new token that the server refused is not shown again.
	banTime = 5 * time.Minute
	// maxScopes bounds the scopes that are repeated of a server's words.
	maxScopes = 20
)

// The reasons for which a person is needed.
const (
	neverLoggedIn = "nobody has logged in yet"
	loginExpired  = "the login has expired"
	loginEnded    = "the login was revoked or has expired"
	tokenRefused  = "the server takes no token of the present login"
)

// Bearer returns the access token, renewed when it is about to expire. Its error is
// one that an agent may read; it has a [*upstream.LoginError] in its chain when a
// person has to log in.
func (a *Account) Bearer(ctx context.Context) (string, error) {
	token, err := a.bearer(ctx)
	if isLogin(err) && a.Reload() {
		return a.bearer(ctx) // somebody has logged in, and nobody has told us yet
	}
	return token, err
}

func (a *Account) bearer(ctx context.Context) (string, error) {
	g, err := a.present()
	switch {
	case err != nil:
		return "", err
	case g == nil || g.Secrets.Access == "" && g.Secrets.Refresh == "":
		return "", a.wantsLogin(neverOr(g))
	case a.isBanned(g):
		return "", a.wantsLogin(tokenRefused)
	case g.fresh(a.now()):
		return g.Secrets.Access, nil
	case g.Secrets.Refresh == "" && g.alive(a.now()):
		return g.Secrets.Access, nil
	case g.Secrets.Refresh == "":
		return "", a.wantsLogin(loginExpired)
	}
	alive := g.alive(a.now())
	wait := ctx
	if alive {
		short, cancel := context.WithTimeout(ctx, aliveWait)
		defer cancel()
		wait = short
	}
	next, err := a.renew(wait, g)
	if err != nil {
		if alive && !isLogin(err) {
			return g.Secrets.Access, nil // there is time left to try again
		}
		return "", err
	}
	return next.Secrets.Access, nil
}

func neverOr(g *Grant) string {
	if g == nil {
		return neverLoggedIn
	}
	return loginEnded
}

func isLogin(err error) bool {
	_, ok := errors.AsType[*upstream.LoginError](err)
	return ok
}

// present is the grant in force; the store is asked while there is none.
func (a *Account) present() (*Grant, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.grant != nil {
		return a.grant, nil
	}
	g, err := a.find()
	if err == nil {
		a.grant = g
	}
	return g, err
}

// find reads the grant from the store, if it is one for this server as configured.
func (a *Account) find() (*Grant, error) {
	g, err := a.store.Find(a.spec.Name)
	if err != nil || g == nil || !a.settings.fits(g, a.spec.Name, a.spec.URL) {
		return nil, err
	}
	return g, nil
}

// Reload reads the store again, and reports whether there is another login than
// before.
func (a *Account) Reload() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	g, err := a.find()
	if err != nil {
		slog.Warn("the token of a server cannot be read", "server", a.spec.Name, "error", err)
		return false
	}
	was := a.grant
	changed := (g == nil) != (was == nil) ||
		g != nil && (g.Login != was.Login || (g.Secrets.Access == "") != (was.Secrets.Access == ""))
	if changed || g != nil && g.Serial > was.Serial {
		a.grant = g
	}
	if changed {
		a.failed, a.banned = nil, ""
	}
	return changed
}

// Refused answers to a server that does not take a token: after 401 with another
// one, once; after 403 with the login that would help, if the scope is what lacks.
func (a *Account) Refused(ctx context.Context, r upstream.Refusal) (string, error) {
	challenge := bearerChallenge(r.Header)
	if r.Status == http.StatusForbidden {
		if challenge.Params["error"] != "insufficient_scope" {
			return "", nil
		}
		if g := a.newer(r.Token); g != nil && !r.Again {
			return g.Secrets.Access, nil
		}
		return "", a.lacks(strings.Fields(challenge.Params["scope"]))
	}
	if r.Again {
		a.mu.Lock()
		a.banned, a.lifted = r.Token, a.now().Add(banTime)
		a.mu.Unlock()
		return "", a.wantsLogin(tokenRefused)
	}
	g, err := a.present()
	switch {
	case err != nil:
		return "", err
	case g == nil:
		return "", a.wantsLogin(neverLoggedIn)
	case g.Secrets.Access != r.Token && g.fresh(a.now()):
		return g.Secrets.Access, nil // renewed while the request was on its way
	case g.Secrets.Refresh == "":
		a.mu.Lock()
		a.banned, a.lifted = r.Token, a.now().Add(banTime)
		a.mu.Unlock()
		return "", a.wantsLogin(loginEnded)
	}
	next, err := a.renew(ctx, g)
	if err != nil {
		return "", err
	}
	return next.Secrets.Access, nil
}

// newer is the grant of a login that nobody has told of yet, if there is one with
// another token.
func (a *Account) newer(token string) *Grant {
	a.Reload()
	g, err := a.present()
	if err != nil || g == nil || g.Secrets.Access == token || !g.fresh(a.now()) {
		return nil
	}
	return g
}

// lacks says which scopes a call needs that the login did not bring.
func (a *Account) lacks(scopes []string) error {
	var wanted []string
	for _, s := range scopes {
		if len(wanted) < maxScopes && len(s) <= 200 &&
			!strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) {
			wanted = union(wanted, s)
		}
	}
	if len(wanted) == 0 {
		wanted = []string{"SCOPE"}
		return a.wantsLogin(
			"the server wants more rights for this call than the login brought, and does not say which",
			wanted...)
	}
	return a.wantsLogin(
		"the server wants more rights for this call than the login brought: "+strings.Join(wanted, " "),
		wanted...)
}

// isBanned reports whether the server has refused this very token though it is new.
func (a *Account) isBanned(g *Grant) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.banned != "" && a.banned == g.Secrets.Access && a.now().Before(a.lifted)
}
