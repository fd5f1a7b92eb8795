package oidc

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Settings say which tokens are accepted and which claims are read.
type Settings struct {
	Issuer         string // address of the provider, as in the claim iss
	Audience       string // value that the claim aud must contain
	PrincipalClaim string // claim that names the person
	GroupsClaim    string // claim that lists the person's groups
}

// Person is the holder of a valid token.
type Person struct {
	Name    string   // value of the principal claim
	Groups  []string // values of the groups claim
	Expires time.Time
}

// Invalid is the error for a token that is not accepted.
type Invalid struct {
	Reason string // one of a few constant texts
	// Signed is set if the provider has signed the token. Such a token is not a guess.
	Signed bool
}

func (e *Invalid) Error() string { return e.Reason }

// Outage is the error for a token that cannot be checked, since the provider's keys cannot be
// read now.
type Outage struct {
	Wait time.Duration // time until the provider is asked again
	Err  error         // why the keys cannot be read
}

func (e *Outage) Error() string {
	return "the identity provider cannot be asked for its keys now: " + e.Err.Error()
}

func (e *Outage) Unwrap() error { return e.Err }

// Provider checks the tokens of one OpenID provider. It is safe for concurrent use.
type Provider struct {
	settings Settings
	client   *http.Client
	now      func() time.Time

	mu       sync.Mutex
	keys     []jose.JSONWebKey
	fetched  time.Time       // when the keys were last read
	tried    time.Time       // when the last attempt to read them ended
	failed   error           // why the last attempt failed; nil if it succeeded
	asked    map[string]bool // unknown key ids for which the keys were read
	fetching chan struct{}   // closed when the current read of the keys ends; nil if no read is in progress
}

// New returns a Provider. It sends nothing over the network.
func New(s Settings) *Provider {
	p := &Provider{settings: s, now: time.Now}
	p.client = p.newClient()
	return p
}

// Issuer returns the address of the provider.
func (p *Provider) Issuer() string { return p.settings.Issuer }

// Settings returns the settings of the Provider.
func (p *Provider) Settings() Settings { return p.settings }

// LooksLikeToken reports whether a bearer token has the form of a JWT: three parts, the first
// of which begins a JSON object.
func LooksLikeToken(s string) bool { return strings.HasPrefix(s, "ey") && strings.Count(s, ".") == 2 }

// maxToken is the maximum length of a token, in bytes.
const maxToken = 16 << 10

// The reasons of [Invalid] that do not depend on the claims.
const (
	malformed    = "the bearer token is not a JWT with one signature by an asymmetric algorithm"
	wrongType    = "the bearer token is a JWT of another type than an access token or an ID token"
	badSignature = "the signature of the bearer token is wrong"
	unknownKey   = "the bearer token is signed with a key that the identity provider does not publish"
)

// Check returns the holder of a token. The error is an [*Invalid] or an [*Outage].
func (p *Provider) Check(ctx context.Context, raw string) (Person, error) {
	payload, err := p.open(ctx, raw, types)
	if err != nil {
		return Person{}, err
	}
	return p.settings.person(payload, p.now())
}

// open checks the signature and the type of a token and returns its claims as JSON.
func (p *Provider) open(ctx context.Context, raw string, types []string) ([]byte, error) {
	if len(raw) > maxToken {
		return nil, &Invalid{Reason: malformed}
	}
	jws, err := jose.ParseSignedCompact(raw, algorithms)
	if err != nil || len(jws.Signatures) != 1 {
		return nil, &Invalid{Reason: malformed}
	}
	header := jws.Signatures[0].Protected
	kind, given := header.ExtraHeaders[jose.HeaderType]
	name, _ := kind.(string)
	if given && !slices.Contains(types, strings.ToLower(name)) {
		return nil, &Invalid{Reason: wrongType}
	}
	return p.verify(ctx, jws, header.KeyID)
}

// types are the accepted values of the header typ. Other types, such as logout+jwt, mark JWTs that
// grant no access.
var types = []string{"jwt", "at+jwt", "application/at+jwt"}

// verify returns the payload of a token that one of the provider's keys has signed.
func (p *Provider) verify(ctx context.Context, jws *jose.JSONWebSignature, kid string) ([]byte, error) {
	keys := p.known()
	if payload, ok := signedBy(keys, jws); ok {
		return payload, nil
	}
	named := func(k jose.JSONWebKey) bool { return k.KeyID == kid }
	if kid != "" && slices.ContainsFunc(keys, named) {
		return nil, &Invalid{Reason: badSignature}
	}
	keys, err := p.refreshed(ctx, kid)
	if err != nil {
		return nil, err
	}
	if payload, ok := signedBy(keys, jws); ok {
		return payload, nil
	}
	if kid == "" || slices.ContainsFunc(keys, named) {
		return nil, &Invalid{Reason: badSignature}
	}
	return nil, &Invalid{Reason: unknownKey}
}
