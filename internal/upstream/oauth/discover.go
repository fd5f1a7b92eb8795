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

// found is what discovery found: the resource and the authorization server's metadata.
type found struct {
	issuer   *oauthex.AuthServerMeta
	resource string   // the resource that the token is requested for
	scopes   []string // scopes that the server names
}

// resourceDocument contains the members of RFC 9728 metadata that are used here.
type resourceDocument struct {
	Resource string   `json:"resource"`
	Issuers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
}

// discover finds the authorization server that issues tokens for the server, and reads its
// metadata.
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

// challenge sends the server a request without a token, and returns the Bearer challenge in its
// refusal; empty if there is none.
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
		return oauthex.Challenge{} // the server may publish metadata nevertheless
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10)
	resp.Body.Close()
	return bearerChallenge(resp.Header)
}

// bearerChallenge returns the challenge for bearer tokens in an answer's headers.
func bearerChallenge(h http.Header) oauthex.Challenge {
	all, err := oauthex.ParseWWWAuthenticate(h.Values("WWW-Authenticate"))
	i := slices.IndexFunc(all, func(c oauthex.Challenge) bool { return c.Scheme == "bearer" })
	if err != nil || i < 0 {
		return oauthex.Challenge{}
	}
	return all[i]
}

// metadata reads the server's metadata from the address in its refusal, or from the well-known
// address of RFC 9728. An old server without metadata is its own authorization server.
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
		return nil, fmt.Errorf("the server names the address %s, but there is no metadata", clean(named))
	}
	doc := &resourceDocument{Resource: a.spec.URL, Issuers: []string{origin.String()}}
	if a.settings.Issuer != "" {
		doc.Issuers = []string{a.settings.Issuer} // the issuer in the configuration takes precedence over a guess
	}
	return doc, nil
}

// covers reports whether a token for the resource is valid for the server: both have the same
// origin, and the server's path begins with the resource's.
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

// choose returns the issuer that the owner configured, or else the first one that the server names.
// It fails if the server does not name the configured issuer.
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
		"the server requires a token of %s, but oauth.issuer in the configuration is %s: "+
			"if the server now uses another issuer, change the configuration",
		clean(named[0]),
		want,
	)
}

// sameIssuer compares two issuers and ignores a slash at the end.
func sameIssuer(a, b string) bool {
	return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/")
}

// issuer reads an authorization server's metadata. It refuses a server that does not support secure
// logins.
func (a *Account) issuer(ctx context.Context, issuer string) (*oauthex.AuthServerMeta, error) {
	if err := checkEndpoint("authorization server", issuer); err != nil {
		return nil, err
	}
	meta, err := auth.GetAuthServerMetadata(
		ctx,
		strings.TrimSuffix(issuer, "/"),
		a.client,
	) // whose comparison does not ignore that slash
	switch {
	case err != nil:
		return nil, fmt.Errorf(
			"reading the metadata of the authorization server %s: %s",
			clean(issuer),
			clean(err.Error()),
		)
	case meta == nil:
		return nil, fmt.Errorf(
			"%s does not publish how to get a token (no metadata by RFC 8414 or OpenID Connect)",
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
		meta.RevocationEndpoint = "" // a token must not be sent there
	}
	return meta, nil
}
