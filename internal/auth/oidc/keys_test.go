package oidc

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"mcpproxy/internal/auth/oidc/oidctest"
)

func TestAKeyIsForItsOwnAlgorithms(t *testing.T) {
	ec := map[elliptic.Curve]*ecdsa.PublicKey{}
	for _, curve := range []elliptic.Curve{elliptic.P256(), elliptic.P384()} {
		key, err := ecdsa.GenerateKey(curve, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		ec[curve] = &key.PublicKey
	}
	ed, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private := rsaKey(t, 2048)
	rsa := private.Public().Key
	for name, c := range map[string]struct {
		key  any
		says string // the key's own alg
		fits []jose.SignatureAlgorithm
	}{
		"RSA":                {rsa, "", []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512}},
		"RSA for one":        {rsa, "PS256", []jose.SignatureAlgorithm{jose.PS256}},
		"P-256":              {ec[elliptic.P256()], "", []jose.SignatureAlgorithm{jose.ES256}},
		"P-384":              {ec[elliptic.P384()], "", []jose.SignatureAlgorithm{jose.ES384}},
		"Ed25519":            {ed, "", []jose.SignatureAlgorithm{jose.EdDSA}},
		"RSA for a secret's": {rsa, "HS256", nil},
		"a secret":           {[]byte("secret"), "", nil},
	} {
		var got []string
		for _, alg := range append([]jose.SignatureAlgorithm{jose.HS256, "none"}, algorithms...) {
			if fits(jose.JSONWebKey{Key: c.key, Algorithm: c.says}, alg) {
				got = append(got, string(alg))
			}
		}
		var want []string
		for _, alg := range c.fits {
			want = append(want, string(alg))
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: fits %v, want %v", name, got, want)
		}
	}
}

func TestAShortKeyIsLeftOut(t *testing.T) {
	if _, ok := usable(rsaKey(t, 1024)); ok {
		t.Error("an RSA key of 1024 bits counts")
	}
	if _, ok := usable(rsaKey(t, 2048)); !ok {
		t.Error("an RSA key of 2048 bits does not count")
	}
}

func TestATokenOfAnotherAlgorithmThanItsKeyIsRefused(t *testing.T) {
	remote := oidctest.New(t)
	key := rsaKey(t, 2048)
	remote.Sign(key, true)
	p, _ := newProvider(t, remote)
	key.Algorithm = string(jose.PS256)
	if got := reasonOf(t, p, oidctest.Signed(t, key, "JWT", remote.Claims(nil))); got != badSignature {
		t.Errorf("the reason is %q, want %q", got, badSignature)
	}
}

func TestTheProviderIsAskedAtSafeAddressesOnly(t *testing.T) {
	for name, c := range map[string]struct {
		issuer, address string
		safe            bool
	}{
		"its own host":                  {"https://login.acme.example", "https://login.acme.example/keys", true},
		"another host":                  {"https://login.acme.example", "https://keys.acme.example/", true},
		"in the open":                   {"https://login.acme.example", "http://login.acme.example/keys", false},
		"this machine, of a remote one": {"https://login.acme.example", "http://127.0.0.1/keys", false},
		"this machine, of a local one":  {"http://localhost:9000", "http://127.0.0.1/keys", true},
		"in the open, of a local one":   {"http://localhost:9000", "http://login.acme.example/keys", false},
		"a file":                        {"https://login.acme.example", "file:///etc/passwd", false},
		"with a password":               {"https://login.acme.example", "https://a:b@login.acme.example/keys", false},
	} {
		u, err := url.Parse(c.address)
		if err != nil {
			t.Fatal(err)
		}
		if got := New(Settings{Issuer: c.issuer}).secure(u); got != c.safe {
			t.Errorf("%s: %t, want %t", name, got, c.safe)
		}
	}
}

// fakeProvider returns a provider whose discovery document is answered by serve.
func fakeProvider(t *testing.T, serve func(w http.ResponseWriter, r *http.Request, issuer string)) *Provider {
	t.Helper()
	var issuer string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(w, r, issuer) }))
	t.Cleanup(server.Close)
	issuer = server.URL
	return New(Settings{Issuer: issuer, Audience: "a"})
}

func TestAProviderThatMisleadsIsNotFollowed(t *testing.T) {
	for name, c := range map[string]struct {
		serve func(w http.ResponseWriter, r *http.Request, issuer string)
		want  string
	}{
		"a redirect to an address in the open": {
			func(w http.ResponseWriter, r *http.Request, _ string) {
				http.Redirect(w, r, "http://login.evil.example/", http.StatusFound)
			},
			"redirects to an address that is not used",
		},
		"redirects without an end": {
			func(w http.ResponseWriter, r *http.Request, _ string) {
				http.Redirect(w, r, r.URL.Path, http.StatusFound)
			},
			"redirects to an address that is not used",
		},
		"keys in the open": {
			func(w http.ResponseWriter, _ *http.Request, issuer string) {
				_, _ = w.Write([]byte(`{"issuer":"` + issuer + `","jwks_uri":"http://login.evil.example/keys"}`))
			},
			"is not an https address",
		},
		"a document that does not end": {
			func(w http.ResponseWriter, _ *http.Request, _ string) {
				_, _ = w.Write([]byte(strings.Repeat(" ", maxDocument) + "{}"))
			},
			"is longer than",
		},
		"a page for people": {
			func(w http.ResponseWriter, _ *http.Request, _ string) { _, _ = w.Write([]byte("<html>")) },
			"reading http://",
		},
		"too many keys": {
			func(w http.ResponseWriter, r *http.Request, issuer string) {
				if r.URL.Path == "/keys" {
					_, _ = w.Write([]byte(`{"keys":[` + strings.Repeat("{},", maxKeys) + `{}]}`))
					return
				}
				_, _ = w.Write([]byte(`{"issuer":"` + issuer + `","jwks_uri":"` + issuer + `/keys"}`))
			},
			"contains more than",
		},
		"no key": {
			func(w http.ResponseWriter, _ *http.Request, issuer string) {
				_, _ = w.Write([]byte(`{"issuer":"` + issuer + `","jwks_uri":"` + issuer + `/keys","keys":[{"kty":"oct","k":"AAAA"}]}`))
			},
			"contains no public key",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if n, err := fakeProvider(t, c.serve).Keys(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%d keys, the error is %v, want %q", n, err, c.want)
			}
		})
	}
}
