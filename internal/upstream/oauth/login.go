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

// LoginTime is the maximum time for a login.
const LoginTime = 5 * time.Minute

// LoginOptions configure a login.
type LoginOptions struct {
	Scopes []string // scopes to request in addition to those granted before
	// Show is called with the address to open in a browser and with the issuer. It must not block.
	Show func(issuer, address string)
	// Notice is called with events that do not end the login; it may be nil.
	Notice func(words string)
}

// Login lets a person log in to the server's authorization server, and stores the grant. It fails
// if ctx ends, after [LoginTime], or if the authorization server gives no token. Then nothing has
// changed.
func (a *Account) Login(ctx context.Context, o LoginOptions) (*Grant, error) {
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, a.loginTime, fmt.Errorf("nobody logged in within %s", a.loginTime))
	defer cancel()
	earlier, err := a.find()
	if _, unseen := errors.AsType[*ringError](err); err != nil && !unseen { // an unreadable grant is replaced
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

// ended returns the reason why ctx ended, or err if ctx has not ended.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// wayBack opens the port to which the browser returns: the configured one, or else the registered
// one if it is free, so that no new registration is necessary.
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

// authorize sends the person to the authorization server, and exchanges the returned code for a
// token.
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
		known = nil // a client that registered for fewer scopes may not get more
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

// scopes returns the scopes to request: those of the configuration or else of the server, those of
// the last login, those that are needed now, and offline_access if the issuer supports it.
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

// code returns the code in an answer. It refuses an answer from another issuer (RFC 9207), which is
// an attack.
func (f *found) code(answer url.Values) (string, error) {
	iss := answer.Get("iss")
	switch {
	case iss == "" && f.issuer.AuthorizationResponseIssParameterSupported:
		return "", fmt.Errorf(
			"the answer does not name its issuer, although %s announces that its answers do: the login was refused",
			clean(f.issuer.Issuer),
		)
	case iss != "" && iss != f.issuer.Issuer:
		return "", fmt.Errorf(
			"the answer is from %s, but the request went to %s: the login was refused",
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
		return "", errors.New("the answer has no code")
	}
	return answer.Get("code"), nil
}
