// Package oidctest runs an OpenID provider for tests. It is an HTTP server with a discovery
// document and a key set, and it signs JWTs with real keys. Every login succeeds at once and logs
// in the person set by [Provider.Person].
package oidctest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Audience is the audience of the tokens that [Provider.Token] makes.
const Audience = "mcpproxy"

// Provider is an OpenID provider at http://127.0.0.1. Tests can change its keys.
type Provider struct {
	Issuer string

	t      *testing.T
	mu     sync.Mutex
	keys   []jose.JSONWebKey // published public keys
	signer jose.JSONWebKey   // the private key in use
	made   int               // number of keys made
	down   bool
	issuer string // in the discovery document; Issuer if empty
	asked  int    // times the key set was read
	logins logins
}

// New starts a provider that signs with one key for ES256.
func New(t *testing.T) *Provider {
	t.Helper()
	p := &Provider{t: t}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	routes.HandleFunc("GET /jwks", p.jwks)
	p.serveLogins(routes)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.isDown() {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		routes.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p.Issuer = server.URL
	p.Rotate(true)
	return p
}

func (p *Provider) isDown() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.down
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	issuer := p.issuer
	if issuer == "" {
		issuer = p.Issuer
	}
	about := map[string]any{"issuer": issuer, "jwks_uri": p.Issuer + "/jwks"}
	p.describeLogins(about)
	p.write(w, about)
}

func (p *Provider) jwks(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	p.write(w, jose.JSONWebKeySet{Keys: p.keys})
}

func (p *Provider) write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		p.t.Error(err)
	}
}

// Down makes the provider fail every request, or answer again.
func (p *Provider) Down(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
}

// SayIssuer sets the issuer in the discovery document.
func (p *Provider) SayIssuer(issuer string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.issuer = issuer
}

// Asked returns how often the key set was read.
func (p *Provider) Asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// Rotate makes the provider sign with a new key. If published is set, the key set contains only the
// new key; otherwise it stays unchanged.
func (p *Provider) Rotate(published bool) {
	p.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	p.made++
	name := fmt.Sprintf("key-%d", p.made)
	p.mu.Unlock()
	p.Sign(jose.JSONWebKey{
		Key:       key,
		KeyID:     name,
		Algorithm: string(jose.ES256),
		Use:       "sig",
	}, published)
}

// Sign makes the provider sign with a private key. It publishes the public half only if
// published is set, and no other key.
func (p *Provider) Sign(key jose.JSONWebKey, published bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.signer = key; published {
		p.keys = []jose.JSONWebKey{key.Public()}
	}
}

// Publish adds a key to the key set. The provider does not sign with it.
func (p *Provider) Publish(key jose.JSONWebKey) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = append(p.keys, key)
}

// Key returns the public half of the current signing key.
func (p *Provider) Key() crypto.PublicKey {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.signer.Public().Key
}

// Token returns a token for the person ann in the group developers, valid for ten minutes. Extra
// claims are added or replace the defaults; a nil claim removes one.
func (p *Provider) Token(claims map[string]any) string {
	p.t.Helper()
	p.mu.Lock()
	signer := p.signer
	p.mu.Unlock()
	return Signed(p.t, signer, "at+jwt", p.Claims(claims))
}

// Claims returns the claims of [Provider.Token].
func (p *Provider) Claims(claims map[string]any) map[string]any {
	now := time.Now().Unix()
	all := map[string]any{
		"iss":    p.Issuer,
		"aud":    Audience,
		"sub":    "ann",
		"groups": []string{"developers"},
		"iat":    now,
		"exp":    now + 600,
	}
	maps.Copy(all, claims)
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil })
	return all
}

// Signed returns claims as a JWT of the given type, signed with a key.
func Signed(t *testing.T, key jose.JSONWebKey, kind jose.ContentType, claims map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := jose.NewSigner(
		jose.SigningKey{Algorithm: jose.SignatureAlgorithm(key.Algorithm), Key: key},
		(&jose.SignerOptions{}).WithType(kind),
	)
	if err != nil {
		t.Fatal(err)
	}
	jws, err := signer.Sign(raw)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jws.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return out
}
