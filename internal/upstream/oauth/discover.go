package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"mcpproxy/internal/upstream"
)

// found holds the endpoints that lead to a token.
type found struct {
	issuer   *oauthex.AuthServerMeta
	resource string   // what the token is to be for
	scopes   []string // that the server names
}

// resourceDocument is the part of RFC 9728's metadata that is used here.
type resourceDocument struct {
	Resource string   `json:"resource"`
	Issuers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
}

// discover finds out which authorization server gives tokens for the server, and
// what it can do.
func (a *Account) discover(ctx context.Context) (*found, error) {
	challenge := a.challenge(ctx)
	doc, err := a.metadata(ctx, challenge.Params["resource_metadata"])
	if err != nil {
		return nil, err
	}
	issuer, err := a.choose(doc.Issuers)
	if err != nil {
		return nil, err
	}
	meta, err := a.issuer(ctx, issuer)
	if err != nil {
		return nil, err
	}
	scopes := strings.Fields(challenge.Params["scope"])
	if len(scopes) == 0 {
		scopes = doc.Scopes
	}
	return &found{issuer: meta, resource: doc.Resource, scopes: scopes}, nil
}

// challenge asks the server for something without a token, and returns the challenge in
// its refusal: the one with the scheme Bearer, empty when there is none.
func (a *Account) challenge(ctx context.Context) oauthex.Challenge {
	method, body := http.MethodPost, `{"jsonrpc":"2.0","id":0,"method":"ping"}`
	if a.spec.Protocol == upstream.SSE {
		method, body = http.MethodGet, ""
	}
	req, err := http.NewRequestWithContext(ctx, method, a.spec.URL, strings.NewReader(body))
	if err != nil {
		return oauthex.Challenge{}
	}
	for name, value := range a.spec.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Content-Type", "application/json")
	resp, err := a.client.Do(req)
	if err != nil {
		return oauthex.Challenge{} // the metadata may be there all the same
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10)
	resp.Body.Close()
	return bearerChallenge(resp.Header)
}

// bearerChallenge is the challenge for bearer tokens in an answer's headers.
func bearerChallenge(h http.Header) oauthex.Challenge {
	all, err := oauthex.ParseWWWAuthenticate(h.Values("WWW-Authenticate"))
	i := slices.IndexFunc(all, func(c oauthex.Challenge) bool { return c.Scheme == "bearer" })
	if err != nil || i < 0 {
		return oauthex.Challenge{}
	}
	return all[i]
}

// metadata reads what the server says about itself: where its refusal said, else
// where RFC 9728 looks. A server of the older kind, which says nothing, is its own
// authorization server.
func (a *Account) metadata(ctx context.Context, named string) (*resourceDocument, error) {
	server, err := url.Parse(a.spec.URL)
	if err != nil {
		return nil, err
	}
	const wellKnown = "/.well-known/oauth-protected-resource"
	origin := url.URL{Scheme: server.Scheme, Host: server.Host}
	places := []string{
		origin.String() + wellKnown + strings.TrimSuffix(server.EscapedPath(), "/"),
		origin.String() + wellKnown,
	}
	if named != "" {
		places = []string{named}
	}
	for _, place := range places {
		doc := &resourceDocument{}
		found, err := getDocument(ctx, a.client, place, doc)
		if err != nil {
			return nil, fmt.Errorf("reading the metadata of the server: %s", clean(err.Error()))
		}
		if !found {
			continue
		}
		if !covers(doc.Resource, server) {
			return nil, fmt.Errorf(
				"the server's metadata is for another resource: %q instead of %s",
				clean(doc.Resource),
				a.spec.URL,
			)
		}
		return doc, nil
	}
	if named != "" {
		return nil, fmt.Errorf("the server names the address %s, and there is no metadata", clean(named))
	}
	doc := &resourceDocument{Resource: a.spec.URL, Issuers: []string{origin.String()}}
	if a.settings.Issuer != "" {
		doc.Issuers = []string{a.settings.Issuer} // the owner knows better than a guess
	}
	return doc, nil
}

// covers reports whether a token for the resource is one for the server: same
// origin, and a path that the server's begins with.
func covers(resource string, server *url.URL) bool {
	u, err := url.Parse(resource)
	if err != nil || u.User != nil || u.Fragment != "" || !strings.EqualFold(u.Scheme, server.Scheme) ||
		!strings.EqualFold(u.Host, server.Host) {
		return false
	}
	if u.RawQuery != "" && u.RawQuery != server.RawQuery {
		return false
	}
	return strings.HasPrefix(
		strings.TrimSuffix(server.EscapedPath(), "/")+"/",
		strings.TrimSuffix(u.EscapedPath(), "/")+"/",
	)
}

// choose picks the issuer that the owner named, else the server's first. A server
// does not lead to another issuer than the owner's.
func (a *Account) choose(named []string) (string, error) {
	want := a.settings.Issuer
	switch {
	case len(named) == 0:
		return "", errors.New("the server's metadata names no authorization server")
	case want == "":
		return named[0], nil
	case slices.ContainsFunc(named, func(s string) bool { return sameIssuer(s, want) }):
		return want, nil
	}
	return "", fmt.Errorf(
		"the server wants a token of %s, and oauth.issuer in the configuration is %s: if the server has moved, change the configuration",
		clean(named[0]),
		want,
	)
}

// sameIssuer compares issuers; a slash at the end makes no difference.
func sameIssuer(a, b string) bool {
	return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/")
}

// issuer reads an authorization server's metadata, and refuses one that cannot
// give a token safely.
func (a *Account) issuer(ctx context.Context, issuer string) (*oauthex.AuthServerMeta, error) {
	if err := checkEndpoint("authorization server", issuer); err != nil {
		return nil, err
	}
	meta, err := auth.GetAuthServerMetadata(
		ctx,
		strings.TrimSuffix(issuer, "/"),
		a.client,
	) // which compares without that slash
	switch {
	case err != nil:
		return nil, fmt.Errorf(
			"reading the metadata of the authorization server %s: %s",
			clean(issuer),
			clean(err.Error()),
		)
	case meta == nil:
		return nil, fmt.Errorf(
			"%s says nowhere how to get a token (no metadata by RFC 8414 or OpenID Connect)",
			clean(issuer),
		)
	case !slices.Contains(meta.CodeChallengeMethodsSupported, "S256"):
		return nil, fmt.Errorf("the authorization server %s does not protect logins (no PKCE with S256)", clean(issuer))
	case len(meta.ResponseTypesSupported) > 0 && !slices.Contains(meta.ResponseTypesSupported, "code"):
		return nil, fmt.Errorf("the authorization server %s does not support logins with a code", clean(issuer))
	}
	for what, address := range map[string]string{"authorization endpoint": meta.AuthorizationEndpoint, "token endpoint": meta.TokenEndpoint} {
		if err := checkEndpoint(what, address); err != nil {
			return nil, err
		}
	}
	if meta.RevocationEndpoint != "" && checkEndpoint("revocation endpoint", meta.RevocationEndpoint) != nil {
		meta.RevocationEndpoint = "" // a token must not go there
	}
	return meta, nil
}
