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
	// retryPause is the time between a failed renewal and the next attempt.
	retryPause = 2 * time.Second
	// aliveWait is how long a request waits for a new token if the old one has not expired yet.
	aliveWait = 2 * time.Second
	// banTime is how long a new token that the server refused is not sent again.
	banTime = 5 * time.Minute
	// maxScopes is the maximum number of scopes of a server's answer that are quoted.
	maxScopes = 20
)

// The reasons why a person has to log in.
const (
	neverLoggedIn = "nobody has logged in yet"
	loginExpired  = "the login has expired"
	loginEnded    = "the login was revoked or has expired"
	tokenRefused  = "the server accepts no token of the current login"
)

// Bearer returns the access token. It renews a token that is about to expire. Agents may read the
// error; if a person has to log in, it wraps an [*upstream.LoginError].
func (a *Account) Bearer(ctx context.Context) (string, error) {
	token, err := a.bearer(ctx)
	if isLogin(err) && a.Reload() {
		return a.bearer(ctx) // somebody may have logged in without our being notified
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

// present returns the current grant. If there is none, it looks in the store.
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

// find reads the grant from the store. It ignores a grant that does not fit the server's configuration.
func (a *Account) find() (*Grant, error) {
	g, err := a.store.Find(a.spec.Name)
	if err != nil || g == nil || !a.settings.fits(g, a.spec.Name, a.spec.URL) {
		return nil, err
	}
	return g, nil
}

// Reload reads the store again, and reports whether the login has changed.
func (a *Account) Reload() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	g, err := a.find()
	if err != nil {
		slog.Warn("cannot read the token of a server", "server", a.spec.Name, "error", err)
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

// Refused handles a server's refusal of a token. After a 401 it returns another token, once. After
// a 403 for a missing scope, it returns an error that names the login that grants the scope.
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
		return g.Secrets.Access, nil // the token was renewed during the request
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

// newer returns the grant of a login that we were not notified of, if the store has one with
// another token.
func (a *Account) newer(token string) *Grant {
	a.Reload()
	g, err := a.present()
	if err != nil || g == nil || g.Secrets.Access == token || !g.fresh(a.now()) {
		return nil
	}
	return g
}

// lacks returns the reason why the login does not suffice: the scopes that a call needs and the login did not grant.
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
			"the server requires more rights for this call than the login granted, and does not say which",
			wanted...)
	}
	return a.wantsLogin(
		"the server requires more rights for this call than the login granted: "+strings.Join(wanted, " "),
		wanted...)
}

// isBanned reports whether the server has refused this token although it is new.
func (a *Account) isBanned(g *Grant) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.banned != "" && a.banned == g.Secrets.Access && a.now().Before(a.lifted)
}
