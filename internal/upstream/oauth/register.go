package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"mcpproxy/internal/version"
)

// identity is how a client identifies itself to an authorization server.
type identity struct {
	id, secret string
	method     Method
	registered bool
}

// style returns the method as the token library names it. The library must not try several methods,
// because a code is valid for one attempt.
func (i identity) style() oauth2.AuthStyle {
	if i.method == Basic {
		return oauth2.AuthStyleInHeader
	}
	return oauth2.AuthStyleInParams
}

// of returns the identity of the client to which a grant was given. Only the configured client has
// the configured secret.
func (s Settings) of(g *Grant) identity {
	i := identity{id: g.ClientID, method: g.Method, registered: g.Registered}
	switch {
	case g.Registered:
		i.secret = g.Secrets.Client
	case s.ClientID == g.ClientID:
		i.secret = s.ClientSecret
	}
	return i
}

// identify returns the client's identity at an issuer: the configured one, the one registered at an
// earlier login with the same redirect address, or a new registration.
func (a *Account) identify(
	ctx context.Context,
	f *found,
	earlier *Grant,
	redirect string,
	scopes []string,
) (identity, error) {
	supported := f.issuer.TokenEndpointAuthMethodsSupported
	if a.settings.ClientID != "" {
		method, err := methodFor(a.settings.ClientSecret, supported)
		return identity{id: a.settings.ClientID, secret: a.settings.ClientSecret, method: method}, err
	}
	if earlier != nil && earlier.Registered && sameIssuer(earlier.Issuer, f.issuer.Issuer) &&
		earlier.RedirectURI == redirect {
		return a.settings.of(earlier), nil
	}
	if f.issuer.RegistrationEndpoint == "" {
		return identity{}, fmt.Errorf(
			"%s does not register clients automatically: register mcpproxy there by hand, with the "+
				"redirect address %s, "+
				"and put the client id into oauth.client_id (and the port into oauth.redirect_port if it must be fixed)",
			clean(f.issuer.Issuer),
			redirect,
		)
	}
	return a.register(ctx, f, redirect, scopes)
}

// methodFor selects the authentication method of a configured client.
func methodFor(secret string, supported []string) (Method, error) {
	switch {
	case secret == "":
		return None, nil
	case len(supported) == 0, slices.Contains(supported, string(Basic)):
		return Basic, nil
	case slices.Contains(supported, string(Post)):
		return Post, nil
	}
	return "", fmt.Errorf(
		"the authorization server accepts client secrets only in forms that mcpproxy does not support: %s",
		clean(strings.Join(supported, ", ")),
	)
}

// register registers mcpproxy at an issuer (RFC 7591).
func (a *Account) register(ctx context.Context, f *found, redirect string, scopes []string) (identity, error) {
	if err := checkEndpoint("registration endpoint", f.issuer.RegistrationEndpoint); err != nil {
		return identity{}, err
	}
	want := &oauthex.ClientRegistrationMetadata{
		ClientName:      "mcpproxy",
		SoftwareID:      "mcpproxy",
		SoftwareVersion: version.String(),
		ApplicationType: "native",
		RedirectURIs:    []string{redirect},
		GrantTypes:      []string{"authorization_code", "refresh_token"},
		ResponseTypes:   []string{"code"},
		Scope:           strings.Join(scopes, " "),
	}
	if s := f.issuer.TokenEndpointAuthMethodsSupported; slices.Contains(s, string(None)) {
		want.TokenEndpointAuthMethod = string(None) // a secret that every user can get protects nothing
	}
	got, err := oauthex.RegisterClient(ctx, f.issuer.RegistrationEndpoint, want, a.client)
	if err != nil {
		return identity{}, fmt.Errorf("registering at %s: %w", clean(f.issuer.Issuer), registrationFailure(ctx, err))
	}
	i := identity{
		id:         got.ClientID,
		secret:     got.ClientSecret,
		method:     Method(got.TokenEndpointAuthMethod),
		registered: true,
	}
	switch {
	case i.method == "" && i.secret == "", i.method == None:
		i.method, i.secret = None, ""
	case i.method == "":
		i.method = Basic
	case i.method != Basic && i.method != Post:
		return identity{}, fmt.Errorf(
			"%s requires clients to authenticate by %q, which mcpproxy does not support",
			clean(f.issuer.Issuer),
			clean(string(i.method)),
		)
	}
	if !got.ClientSecretExpiresAt.IsZero() && got.ClientSecretExpiresAt.Before(time.Now()) {
		return identity{}, errors.New("the client secret from the registration has already expired")
	}
	return i, nil
}

// registrationFailure returns the reason why a registration failed. It quotes only a standard
// refusal, because other answers may contain the registered secret.
func registrationFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if e, ok := errors.AsType[*oauthex.ClientRegistrationError](err); ok {
		return errors.New(clean(e.ErrorCode + ": " + e.ErrorDescription))
	}
	if _, ok := errors.AsType[*url.Error](err); ok {
		return errors.New(clean(err.Error()))
	}
	return errors.New("it refused, or its answer cannot be read")
}
