package oidc

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// ClientSettings are the settings of the client that is registered with the provider.
type ClientSettings struct {
	ID       string // client id at the provider
	Secret   string // "" for a public client
	Redirect string // address to which the provider sends people back
	Return   string // address to which the provider sends people after they have logged out there
	Scopes   []string
}

// Client logs people in at an identity provider, by the authorization code flow with PKCE. It is safe for concurrent
// use.
type Client struct {
	provider *Provider
	settings ClientSettings
	used     usedTokens

	turn  chan struct{} // a semaphore for the fields below
	about document
	read  time.Time // when the discovery document was read
	tried time.Time // when reading it last failed
	err   error     // why it failed
}

// NewClient returns a Client. It replaces s.Audience with the id of the client. It sends nothing
// over the network.
func NewClient(s Settings, c ClientSettings) *Client {
	s.Audience = c.ID
	return &Client{
		provider: New(s),
		settings: c,
		turn:     make(chan struct{}, 1),
	}
}

// Attempt is a login in progress. It belongs to one browser and can be used once.
type Attempt struct {
	State    string // state that the provider must send back
	nonce    string // nonce that the ID token must contain
	verifier string // the PKCE code verifier
}

// Login is the result of a successful login.
type Login struct {
	Person
	IDToken string // sent to the provider as a hint when the person logs out

	subject string // claim sub of the ID token
	session string // claim sid of the ID token, or ""
	claims  claims // claims of the last ID token, without those of the userinfo endpoint
	renewal renewal
}

// Refused is the error when the provider refuses a login.
type Refused struct {
	Code string // error code of RFC 6749 or OpenID Connect, such as access_denied
}

func (e *Refused) Error() string { return "the identity provider has refused the login: " + e.Code }

// The reasons of [Invalid] that only occur in a login.
const (
	otherIssuer    = "the answer to the login comes from another identity provider"
	noCode         = "the answer to the login has no code"
	noIDToken      = "the identity provider has sent no ID token: the scope openid may be missing at the provider"
	wrongNonce     = "the ID token is not for this login"
	wrongParty     = "the ID token was made for another client"
	wrongUser      = "the identity provider's userinfo belongs to another person than the ID token"
	maxCode        = 64 // length of an error code of the provider
	maxAnswered    = 4096
	unreadableCode = "an error without a code"
)

// idTypes are the values of the header typ that an ID token may have.
var idTypes = []string{"jwt"}

// Begin begins a login. It returns the URL at which the person logs in.
func (c *Client) Begin(ctx context.Context) (address string, a Attempt, err error) {
	about, err := c.discovered(ctx)
	if err != nil {
		return "", Attempt{}, err
	}
	a = Attempt{State: rand.Text(), nonce: rand.Text(), verifier: oauth2.GenerateVerifier()}
	return c.flow(about).AuthCodeURL(
		a.State,
		oauth2.S256ChallengeOption(a.verifier),
		oauth2.SetAuthURLParam("nonce", a.nonce),
	), a, nil
}

// Finish completes a login. Query is the query of the request by which the browser comes back from the
// provider. The caller must have compared the state, and must not call Finish twice for one Attempt. The
// error is a [*Refused], an [*Invalid] or an [*Outage].
func (c *Client) Finish(ctx context.Context, a Attempt, query url.Values) (Login, error) {
	about, err := c.discovered(ctx)
	if err != nil {
		return Login{}, err
	}
	// RFC 9207: a code of another provider must not be sent to this one, nor the other way round.
	if iss := query.Get("iss"); iss != about.Issuer && (iss != "" || about.NamesIssuer) {
		return Login{}, &Invalid{Reason: otherIssuer}
	}
	if query.Has("error") {
		return Login{}, &Refused{Code: codeOf(query.Get("error"))}
	}
	code := query.Get("code")
	if code == "" || len(code) > maxAnswered {
		return Login{}, &Invalid{Reason: noCode}
	}
	ctx, cancel := context.WithTimeout(ctx, readingTime)
	defer cancel()
	token, err := c.flow(about).Exchange(
		context.WithValue(ctx, oauth2.HTTPClient, c.straight()), code, oauth2.VerifierOption(a.verifier),
	)
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.ErrorCode != "" {
		return Login{}, &Refused{Code: codeOf(refused.ErrorCode)}
	}
	if err != nil {
		return Login{}, &Outage{retryAfter, fmt.Errorf("asking it for the ID token: %w", hidden(err))}
	}
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return Login{}, &Invalid{Reason: noIDToken}
	}
	done, err := c.login(ctx, about, raw, a.nonce, token.AccessToken)
	if err != nil {
		return Login{}, ofIDToken(err)
	}
	done.renewal = renewal{
		nonce:   a.nonce,
		access:  token.AccessToken,
		ends:    token.Expiry,
		refresh: token.RefreshToken,
	}
	return done, nil
}

// ofIDToken returns an error whose reason names the ID token.
func ofIDToken(err error) error { return named(err, "ID token") }

// named returns an error whose reason names another token than the bearer token of an agent.
func named(err error, token string) error {
	if invalid, ok := errors.AsType[*Invalid](err); ok {
		return &Invalid{Reason: strings.Replace(invalid.Reason, "bearer token", token, 1), Signed: invalid.Signed}
	}
	return err
}

// hidden returns the error of an exchange without the provider's answer, which may contain tokens.
func hidden(err error) error {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return fmt.Errorf("status %d", refused.Response.StatusCode)
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed
	}
	return errors.New("its answer is not a valid token response (RFC 6749)")
}

// login returns the login of the person whom an ID token names. It reads missing claims from the userinfo
// endpoint.
func (c *Client) login(ctx context.Context, about document, raw, nonce, access string) (Login, error) {
	found, expires, err := c.checked(ctx, raw)
	if err != nil {
		return Login{}, err
	}
	if got, ok := found.text("nonce"); !ok || subtle.ConstantTimeCompare([]byte(got), []byte(nonce)) == 0 {
		return Login{}, invalid(wrongNonce)
	}
	l := Login{IDToken: raw, claims: maps.Clone(found)}
	l.subject, _ = found.text("sub")
	l.session, _ = found.text("sid")
	l.Person, err = c.person(ctx, about, found, expires, access)
	return l, err
}

// checked returns the claims of an ID token that the provider has signed for this client.
func (c *Client) checked(ctx context.Context, raw string) (found claims, expires time.Time, err error) {
	payload, err := c.provider.open(ctx, raw, idTypes)
	if err != nil {
		return nil, expires, err
	}
	s := c.provider.settings
	found, expires, err = s.valid(payload, c.provider.now())
	if err != nil {
		return nil, expires, err
	}
	audiences, _ := found.texts("aud")
	if party, ok := found.text("azp"); party != s.Audience && (ok || found["azp"] != nil || len(audiences) > 1) {
		return nil, expires, invalid(wrongParty)
	}
	return found, expires, nil
}

// person returns the person whom the claims of an ID token name. It adds missing claims from the userinfo
// endpoint.
func (c *Client) person(
	ctx context.Context,
	about document,
	found claims,
	expires time.Time,
	access string,
) (Person, error) {
	s := c.provider.settings
	lacking := found.find(s.PrincipalClaim) == nil || found.find(s.GroupsClaim) == nil ||
		s.PrincipalClaim == "email" && found["email_verified"] == nil
	if lacking && about.UserInfo != "" && access != "" {
		if err := c.complete(ctx, about.UserInfo, access, found); err != nil {
			return Person{}, err
		}
	}
	return s.named(found, expires)
}

// protocol are the claims that are read from the signed ID token only, never from the userinfo endpoint.
var protocol = []string{"iss", "sub", "aud", "azp", "exp", "iat", "nbf", "nonce", "cnf", "events"}

// complete adds the claims of the userinfo endpoint to those of the ID token.
func (c *Client) complete(ctx context.Context, address, access string, found claims) error {
	u, err := url.Parse(address)
	if err != nil || !c.provider.secure(u) {
		return &Outage{retryAfter, errors.New("its userinfo_endpoint is not an https address")}
	}
	var said claims
	err = c.provider.getWith(ctx, c.straight(), address, access, &said)
	if status, ok := errors.AsType[*badStatus](err); ok && status.refuses() {
		return &Refused{Code: "invalid_token"} // the code of RFC 6750
	}
	if err != nil {
		return &Outage{retryAfter, err}
	}
	maps.DeleteFunc(said, isNull)
	subject, ok := found.text("sub")
	if got, also := said.text("sub"); !ok || !also || got != subject {
		return invalid(wrongUser)
	}
	for name, value := range said {
		if !slices.Contains(protocol, name) {
			found[name] = value
		}
	}
	return nil
}

// EndSession returns the URL at which the person logs out at the provider, or "" if the provider has no such URL.
func (c *Client) EndSession(ctx context.Context, idToken string) string {
	about, err := c.discovered(ctx)
	if err != nil || about.EndSession == "" {
		return ""
	}
	u, err := url.Parse(about.EndSession)
	if err != nil || !c.provider.secure(u) {
		return ""
	}
	q := u.Query()
	q.Set("client_id", c.settings.ID)
	q.Set("id_token_hint", idToken)
	q.Set("post_logout_redirect_uri", c.settings.Return)
	u.RawQuery = q.Encode()
	return u.String()
}

// Lacks returns the reason why people cannot log in, or nil. It checks only the provider's discovery
// document.
func (c *Client) Lacks(ctx context.Context) error {
	_, err := c.discovered(ctx)
	if down, ok := errors.AsType[*Outage](err); ok {
		return down.Err
	}
	return err
}

// Redirect returns the redirect URL that must be registered with the provider.
func (c *Client) Redirect() string { return c.settings.Redirect }

// discovered returns the discovery document. It reads the document again when it is old. The error is an [*Outage].
func (c *Client) discovered(ctx context.Context) (document, error) {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return document{}, &Outage{retryAfter, ctx.Err()}
	}
	now := c.provider.now()
	if !c.read.IsZero() && now.Sub(c.read) < maxAge {
		return c.about, nil
	}
	if c.err != nil && now.Sub(c.tried) < retryAfter {
		return document{}, &Outage{retryAfter - now.Sub(c.tried), c.err}
	}
	// Later requests use the document too, so reading it does not stop when this request is canceled.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readingTime)
	defer cancel()
	about, err := c.provider.discover(ctx)
	if err == nil {
		err = c.usable(about)
	}
	if err != nil {
		c.tried, c.err = c.provider.now(), err
		return document{}, &Outage{retryAfter, err}
	}
	c.about, c.read = about, now
	c.err = nil
	return about, nil
}

// usable returns the reason why nobody can log in with a provider, or nil.
func (c *Client) usable(about document) error {
	for name, address := range map[string]string{
		"authorization_endpoint": about.Authorize,
		"token_endpoint":         about.Token,
	} {
		if u, err := url.Parse(address); err != nil || !c.provider.secure(u) {
			return fmt.Errorf("the %s in %s is not an https address", name, c.provider.address())
		}
	}
	if len(about.Challenges) > 0 && !slices.Contains(about.Challenges, "S256") {
		return fmt.Errorf("%s says that the provider does not support PKCE by S256", c.provider.address())
	}
	return nil
}

// flow returns the x/oauth2 configuration for a provider.
func (c *Client) flow(about document) *oauth2.Config {
	style := oauth2.AuthStyleInHeader // the default of OpenID Connect Discovery
	if c.settings.Secret == "" || len(about.Methods) > 0 && !slices.Contains(about.Methods, "client_secret_basic") {
		style = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{
		ClientID:     c.settings.ID,
		ClientSecret: c.settings.Secret,
		Endpoint:     oauth2.Endpoint{AuthURL: about.Authorize, TokenURL: about.Token, AuthStyle: style},
		RedirectURL:  c.settings.Redirect,
		Scopes:       append([]string{"openid"}, c.settings.Scopes...),
	}
}

// straight returns a client that follows no redirects, so that a secret or a token is sent only to
// the given address.
func (c *Client) straight() *http.Client {
	return &http.Client{
		Transport:     c.provider.client.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// codeOf returns the provider's error code if it is well-formed, or else "".
func codeOf(s string) string {
	plain := func(r rune) bool { return r != '_' && r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	if s == "" || len(s) > maxCode || strings.ContainsFunc(s, plain) {
		return unreadableCode
	}
	return s
}
