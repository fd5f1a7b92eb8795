package oauth

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"golang.org/x/oauth2"
)

// LoginTime is how long a person has for a login.
const LoginTime = 5 * time.Minute

// LoginOptions say how a login goes.
type LoginOptions struct {
	Scopes []string // to ask for beside those that were granted before
	// Show is given the address to open in a browser, and the issuer that it
	// belongs to. It must not block.
	Show func(issuer, address string)
	// Notice hears of what goes on without ending the login; it may be nil.
	Notice func(words string)
}

// Login has a person log in to the server's authorization server, and keeps what
// that brings. It fails when ctx ends, after [LoginTime], or with the reason for
// which there is no token; then everything is as before.
func (a *Account) Login(ctx context.Context, o LoginOptions) (*Grant, error) {
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, a.loginTime, fmt.Errorf("nobody logged in within %s", a.loginTime))
	defer cancel()
	earlier, err := a.find()
	if _, unseen := errors.AsType[*ringError](err); err != nil && !unseen { // what cannot be seen is replaced
		return nil, err
	}
	f, err := a.discover(ctx)
	if err != nil {
		return nil, ended(ctx, err)
	}
	state := rand.Text()
	back, err := a.wayBack(earlier, state, o.Notice)
	if err != nil {
		return nil, err
	}
	g, err := a.authorize(ctx, f, back, earlier, o)
	if err == nil {
		err = a.store.Put(ctx, g, a.settings.Place)
	}
	back.close(err == nil)
	if err != nil {
		return nil, ended(ctx, err)
	}
	a.Reload()
	return g, nil
}

// ended prefers the reason for which ctx ended to what came of it.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// wayBack opens the port that the browser returns to: the configured one, else the
// one that was registered, if it is free, so that nobody need register again.
func (a *Account) wayBack(earlier *Grant, state string, notice func(string)) (*callback, error) {
	if a.settings.RedirectPort != 0 {
		return listen(a.settings.RedirectPort, state, notice)
	}
	if earlier != nil && earlier.Registered {
		if u, err := url.Parse(earlier.RedirectURI); err == nil && u.Port() != "" {
			var port int
			if _, err := fmt.Sscan(u.Port(), &port); err == nil {
				if c, err := listen(port, state, notice); err == nil {
					return c, nil
				}
			}
		}
	}
	return listen(0, state, notice)
}

// authorize sends the person to the authorization server and trades the code that
// comes back for a token.
func (a *Account) authorize(
	ctx context.Context,
	f *found,
	back *callback,
	earlier *Grant,
	o LoginOptions,
) (*Grant, error) {
	scopes := a.scopes(f, earlier, o.Scopes)
	known := earlier
	if len(o.Scopes) > 0 {
		known = nil // who registered for less may not get more
	}
	id, err := a.identify(ctx, f, known, back.redirect(), scopes)
	if err != nil {
		return nil, err
	}
	c := oauth2.Config{
		ClientID:     id.id,
		ClientSecret: id.secret,
		RedirectURL:  back.redirect(),
		Scopes:       scopes,
		Endpoint: oauth2.Endpoint{
			AuthURL:   f.issuer.AuthorizationEndpoint,
			TokenURL:  f.issuer.TokenEndpoint,
			AuthStyle: id.style(),
		},
	}
	verifier := oauth2.GenerateVerifier()
	resource := oauth2.SetAuthURLParam("resource", f.resource)
	o.Show(clean(f.issuer.Issuer), c.AuthCodeURL(back.state, oauth2.S256ChallengeOption(verifier), resource))
	answer, err := back.wait(ctx)
	if err != nil {
		return nil, err
	}
	code, err := f.code(answer)
	if err != nil {
		return nil, err
	}
	token, err := checkToken(
		c.Exchange(
			context.WithValue(ctx, oauth2.HTTPClient, a.client),
			code,
			oauth2.VerifierOption(verifier),
			resource,
		),
	)
	if err != nil {
		return nil, fmt.Errorf("%s gave no token: %w", clean(f.issuer.Issuer), refusal(err, code, verifier, id.secret))
	}
	g := &Grant{
		Server:     a.spec.Name,
		URL:        a.spec.URL,
		Resource:   f.resource,
		Issuer:     f.issuer.Issuer,
		ClientID:   id.id,
		Registered: id.registered,
		Method:     id.method,
		TokenURL:   f.issuer.TokenEndpoint,
		RevokeURL:  f.issuer.RevocationEndpoint,
		Scopes:     scopes,
		Login:      rand.Text(),
	}
	if id.registered {
		g.RedirectURI, g.Secrets.Client = back.redirect(), id.secret
	}
	g.receive(token, a.now())
	return g, nil
}

// scopes are what to ask for: what the configuration says, else what the server
// names; what the last login brought, and what is wanted now; and the one that
// makes a login last, where it exists.
func (a *Account) scopes(f *found, earlier *Grant, more []string) []string {
	scopes := slices.Clone(a.settings.Scopes)
	if len(scopes) == 0 {
		scopes = slices.Clone(f.scopes)
	}
	if len(more) > 0 && earlier != nil && sameIssuer(earlier.Issuer, f.issuer.Issuer) {
		scopes = union(scopes, earlier.Scopes...)
	}
	scopes = union(scopes, more...)
	if slices.Contains(f.issuer.ScopesSupported, "offline_access") {
		scopes = union(scopes, "offline_access")
	}
	return scopes
}

// code takes the code out of an answer, if it came from the issuer that was asked
// (RFC 9207): an answer of another one is an attack, whatever else it says.
func (f *found) code(answer url.Values) (string, error) {
	iss := answer.Get("iss")
	switch {
	case iss == "" && f.issuer.AuthorizationResponseIssParameterSupported:
		return "", fmt.Errorf(
			"the answer does not say that it is from %s, and should: the login was refused",
			clean(f.issuer.Issuer),
		)
	case iss != "" && iss != f.issuer.Issuer:
		return "", fmt.Errorf(
			"the answer is from %s, and %s was asked: the login was refused",
			clean(iss),
			clean(f.issuer.Issuer),
		)
	case answer.Get("error") != "":
		words := answer.Get("error")
		if more := answer.Get("error_description"); more != "" {
			words += ": " + more
		}
		return "", fmt.Errorf("%s refused the login: %s", clean(f.issuer.Issuer), clean(words))
	case answer.Get("code") == "":
		return "", errors.New("the answer holds no code")
	}
	return answer.Get("code"), nil
}
