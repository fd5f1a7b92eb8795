package oidc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpproxy"
)

const (
	maxAge       = 15 * time.Minute // age from which known keys are read again
	pause        = 10 * time.Second // between two reads of the keys
	retryAfter   = 3 * time.Second  // after a failed read
	readingTime  = 5 * time.Second  // timeout of a read
	maxDocument  = 1 << 20          // bytes of one document
	maxKeys      = 100              // keys of one provider
	maxAsked     = 64               // unknown key ids that are remembered
	maxRedirects = 3
)

// errRecent says why the provider is not asked for an unknown key.
var errRecent = errors.New("the keys were read a moment ago and did not include this key")

// known returns the keys that were read. If they are old, it starts a new read in the background.
func (p *Provider) known() []jose.JSONWebKey {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if p.keys != nil && p.fetching == nil && now.Sub(p.fetched) >= maxAge && now.Sub(p.tried) >= pause {
		p.start()
	}
	return p.keys
}

// refreshed reads the keys again for a token whose key is unknown, and returns them. The error is
// an [*Outage].
func (p *Provider) refreshed(ctx context.Context, kid string) ([]jose.JSONWebKey, error) {
	p.mu.Lock()
	if p.fetching == nil {
		since := p.now().Sub(p.tried)
		switch {
		case p.tried.IsZero():
		case p.failed != nil && since < retryAfter:
			defer p.mu.Unlock()
			return nil, &Outage{retryAfter - since, p.failed}
		case p.failed == nil && since < pause:
			defer p.mu.Unlock()
			if p.asked[kid] {
				return p.keys, nil
			}
			return nil, &Outage{pause - since, errRecent}
		}
		p.start()
	}
	if len(p.asked) < maxAsked {
		p.asked[kid] = true
	}
	done := p.fetching
	p.mu.Unlock()
	select {
	case <-done:
	case <-ctx.Done():
		return nil, &Outage{retryAfter, ctx.Err()}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed != nil {
		return nil, &Outage{retryAfter, p.failed}
	}
	return p.keys, nil
}

// start begins a read of the keys. The caller holds the lock.
func (p *Provider) start() {
	done := make(chan struct{})
	p.fetching, p.asked = done, map[string]bool{}
	go func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(context.Background(), readingTime)
		defer cancel()
		keys, err := p.fetch(ctx)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.fetching = nil
		p.tried, p.failed = p.now(), err
		if err == nil {
			p.keys, p.fetched = keys, p.tried
		}
	}()
}

// Keys reads the provider's keys and returns how many of them can sign tokens.
func (p *Provider) Keys(ctx context.Context) (int, error) {
	keys, err := p.fetch(ctx)
	return len(keys), err
}

// document is the part of the discovery document that this package uses.
type document struct {
	Issuer      string   `json:"issuer"`
	Keys        string   `json:"jwks_uri"`
	Authorize   string   `json:"authorization_endpoint"`
	Token       string   `json:"token_endpoint"`
	UserInfo    string   `json:"userinfo_endpoint"`
	EndSession  string   `json:"end_session_endpoint"`
	Methods     []string `json:"token_endpoint_auth_methods_supported"`
	Challenges  []string `json:"code_challenge_methods_supported"`
	NamesIssuer bool     `json:"authorization_response_iss_parameter_supported"`
	LogsOut     bool     `json:"backchannel_logout_supported"`
}

// address returns the URL of the discovery document.
func (p *Provider) address() string {
	return strings.TrimSuffix(p.settings.Issuer, "/") + "/.well-known/openid-configuration"
}

// discover reads the discovery document.
func (p *Provider) discover(ctx context.Context) (document, error) {
	var about document
	if err := p.get(ctx, p.address(), &about); err != nil {
		return document{}, err
	}
	if about.Issuer != p.settings.Issuer {
		return document{}, fmt.Errorf(
			"%s says that it is of another issuer: set auth.oidc.issuer to that issuer", p.address(),
		)
	}
	return about, nil
}

// fetch reads the discovery document and then the keys.
func (p *Provider) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	about, err := p.discover(ctx)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(about.Keys)
	if err != nil || !p.secure(u) {
		return nil, fmt.Errorf("the jwks_uri in %s is not an https address", p.address())
	}
	var set struct {
		Keys []jsontext.Value `json:"keys"`
	}
	if err := p.get(ctx, about.Keys, &set); err != nil {
		return nil, err
	}
	if len(set.Keys) > maxKeys {
		return nil, fmt.Errorf("%s contains more than %d keys", about.Keys, maxKeys)
	}
	var out []jose.JSONWebKey
	for _, raw := range set.Keys {
		var k jose.JSONWebKey
		if k.UnmarshalJSON(raw) != nil { // skip keys of an unknown type
			continue
		}
		if k, ok := usable(k); ok {
			out = append(out, k)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s contains no public key for signatures", about.Keys)
	}
	return out, nil
}

// secure reports whether an address of the provider may be requested. Plain HTTP is accepted only
// if the issuer itself uses it.
func (p *Provider) secure(u *url.URL) bool {
	return Secure(u) && (u.Scheme == "https" || strings.HasPrefix(p.settings.Issuer, "http:"))
}

// Secure reports whether an address can belong to a provider: https, or http on this machine.
func Secure(u *url.URL) bool {
	return u.Host != "" && u.User == nil &&
		(u.Scheme == "https" || u.Scheme == "http" && mcpproxy.LoopbackHost(u.Hostname()))
}

// get reads a JSON document of the provider.
func (p *Provider) get(ctx context.Context, address string, into any) error {
	return p.getWith(ctx, p.client, address, "", into)
}

// getWith reads a JSON document of the provider through a client, with an access token if there is one.
func (p *Provider) getWith(ctx context.Context, client *http.Client, address, access string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("asking the identity provider: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	if access != "" {
		req.Header.Set("Authorization", "Bearer "+access)
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("asking the identity provider: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return &badStatus{address, resp.StatusCode}
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxDocument+1))
	if err != nil {
		return fmt.Errorf("reading %s: %w", address, err)
	}
	if len(raw) > maxDocument {
		return fmt.Errorf("%s is longer than %d bytes", address, maxDocument)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("reading %s: %w", address, err)
	}
	return nil
}

// badStatus is the error for an answer of the provider with another status than 200.
type badStatus struct {
	address string
	status  int
}

func (e *badStatus) Error() string {
	return fmt.Sprintf("the identity provider answers %s with status %d", e.address, e.status)
}

// refuses reports whether the provider refuses the access token of the request.
func (e *badStatus) refuses() bool {
	return e.status == http.StatusUnauthorized || e.status == http.StatusForbidden
}

// newClient returns a client that follows a few redirects, but no redirect from https to http.
func (p *Provider) newClient() *http.Client {
	return &http.Client{
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects || !p.secure(req.URL) {
				return errors.New("the identity provider redirects to an address that is not used")
			}
			return nil
		},
	}
}
