package oidc

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/auth/oidc/oidctest"
)

// clock is the time of a Provider.
type clock struct{ now time.Time }

func (c *clock) pass(d time.Duration) { c.now = c.now.Add(d) }

func newProvider(t *testing.T, remote *oidctest.Provider) (*Provider, *clock) {
	t.Helper()
	p := New(Settings{
		Issuer:         remote.Issuer,
		Audience:       oidctest.Audience,
		PrincipalClaim: "sub",
		GroupsClaim:    "groups",
	})
	at := &clock{time.Now()}
	p.now = func() time.Time { return at.now }
	return p, at
}

// reasonOf returns why the provider refuses a token: "" if it accepts the token, and "outage" if it cannot check the
// token.
func reasonOf(t *testing.T, p *Provider, token string) string {
	t.Helper()
	_, err := p.Check(t.Context(), token)
	if err == nil {
		return ""
	}
	if _, ok := errors.AsType[*Outage](err); ok {
		return "outage"
	}
	invalid, ok := errors.AsType[*Invalid](err)
	if !ok {
		t.Fatalf("the error is %v", err)
	}
	return invalid.Reason
}

func TestATokenNamesThePersonAndTheGroups(t *testing.T) {
	remote := oidctest.New(t)
	for name, c := range map[string]struct {
		settings func(*Settings)
		claims   map[string]any
		want     Person
	}{
		"as most providers write it": {want: Person{Name: "ann", Groups: []string{"developers"}}},
		"one group as a text": {
			claims: map[string]any{"groups": "operators"},
			want:   Person{Name: "ann", Groups: []string{"operators"}},
		},
		"without groups": {claims: map[string]any{"groups": nil}, want: Person{Name: "ann"}},
		"null for groups": {
			settings: func(s *Settings) { s.GroupsClaim = "realm.roles" },
			claims:   map[string]any{"realm": map[string]any{"roles": json.RawMessage("null")}},
			want:     Person{Name: "ann"},
		},
		"several audiences": {
			claims: map[string]any{"aud": []string{"other", oidctest.Audience}},
			want:   Person{Name: "ann", Groups: []string{"developers"}},
		},
		"a verified address": {
			settings: func(s *Settings) { s.PrincipalClaim = "email" },
			claims:   map[string]any{"email": "ann@acme.example", "email_verified": true},
			want:     Person{Name: "ann@acme.example", Groups: []string{"developers"}},
		},
		"groups within another claim": {
			settings: func(s *Settings) { s.GroupsClaim = "realm_access.roles" },
			claims:   map[string]any{"realm_access": map[string]any{"roles": []string{"dev", "ops"}}},
			want:     Person{Name: "ann", Groups: []string{"dev", "ops"}},
		},
		"a claim whose name has dots": {
			settings: func(s *Settings) { s.GroupsClaim = "https://acme.example/groups" },
			claims:   map[string]any{"https://acme.example/groups": []string{"dev"}},
			want:     Person{Name: "ann", Groups: []string{"dev"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := newProvider(t, remote)
			if c.settings != nil {
				c.settings(&p.settings)
			}
			got, err := p.Check(t.Context(), remote.Token(c.claims))
			if err != nil {
				t.Fatal(err)
			}
			if until := time.Until(got.Expires); until < 9*time.Minute || until > 10*time.Minute {
				t.Errorf("it expires in %s, want 10 minutes", until)
			}
			got.Expires = time.Time{}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestATokenWithWrongClaimsIsRefused(t *testing.T) {
	remote := oidctest.New(t)
	now := time.Now().Unix()
	for name, c := range map[string]struct {
		claims map[string]any
		email  bool
		want   string
	}{
		"another issuer":                     {claims: map[string]any{"iss": "https://login.evil.example"}, want: wrongIssuer},
		"the issuer with a slash":            {claims: map[string]any{"iss": remote.Issuer + "/"}, want: wrongIssuer},
		"no issuer":                          {claims: map[string]any{"iss": nil}, want: wrongIssuer},
		"another audience":                   {claims: map[string]any{"aud": "wiki"}, want: wrongAudience},
		"no audience":                        {claims: map[string]any{"aud": nil}, want: wrongAudience},
		"an audience that begins like it":    {claims: map[string]any{"aud": "mcpproxy2"}, want: wrongAudience},
		"audiences that are not texts":       {claims: map[string]any{"aud": []any{oidctest.Audience, 7}}, want: wrongAudience},
		"expired":                            {claims: map[string]any{"exp": now - 1}, want: expired},
		"no expiry":                          {claims: map[string]any{"exp": nil}, want: noExpiry},
		"an expiry that is a text":           {claims: map[string]any{"exp": fmt.Sprint(now + 60)}, want: noExpiry},
		"an expiry beyond all times":         {claims: map[string]any{"exp": 1e300}, want: noExpiry},
		"valid from later on":                {claims: map[string]any{"nbf": now + 3600}, want: early},
		"made later on":                      {claims: map[string]any{"iat": now + 3600}, want: early},
		"bound to a key":                     {claims: map[string]any{"cnf": map[string]any{"jkt": "x"}}, want: bound},
		"a logout token":                     {claims: map[string]any{"events": map[string]any{logoutEvent: map[string]any{}}}, want: logout},
		"no person":                          {claims: map[string]any{"sub": nil}, want: nobody},
		"a person without a name":            {claims: map[string]any{"sub": " "}, want: nobody},
		"a person who is a number":           {claims: map[string]any{"sub": 7}, want: nobody},
		"groups that are no texts":           {claims: map[string]any{"groups": []any{1}}, want: badGroups},
		"groups that are an object":          {claims: map[string]any{"groups": map[string]any{"developers": true}}, want: badGroups},
		"an address that nobody verified":    {email: true, claims: map[string]any{"email": "ann@acme.example"}, want: unverified},
		"an address that is said unverified": {email: true, claims: map[string]any{"email": "ann@acme.example", "email_verified": false}, want: unverified},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := newProvider(t, remote)
			if c.email {
				p.settings.PrincipalClaim = "email"
			}
			if got := reasonOf(t, p, remote.Token(c.claims)); got != c.want {
				t.Errorf("the reason is %q, want %q", got, c.want)
			}
		})
	}
}

// unsigned returns a JWT with the given header whose signature is computed from the parts before it.
func unsigned(t *testing.T, header, claims map[string]any, sign func(input string) []byte) string {
	t.Helper()
	var parts []string
	for _, part := range []map[string]any{header, claims} {
		raw, err := json.Marshal(part)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, base64.RawURLEncoding.EncodeToString(raw))
	}
	input := strings.Join(parts, ".")
	return input + "." + base64.RawURLEncoding.EncodeToString(sign(input))
}

func TestATokenThatTheProviderHasNotSignedIsRefused(t *testing.T) {
	remote := oidctest.New(t)
	claims := remote.Claims(nil)
	der, err := x509.MarshalPKIXPublicKey(remote.Key())
	if err != nil {
		t.Fatal(err)
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	other := oidctest.New(t)
	good := remote.Token(nil)
	body := strings.Split(good, ".")
	for name, c := range map[string]struct{ token, want string }{
		"alg none": {
			unsigned(t, map[string]any{"alg": "none", "kid": "key-1"}, claims, func(string) []byte { return nil }),
			malformed,
		},
		"the public key as the secret of HS256": {
			oidctest.Signed(t, jose.JSONWebKey{Key: public, KeyID: "key-1", Algorithm: "HS256"}, "JWT", claims),
			malformed,
		},
		"HS256 under the name of RS256": {
			unsigned(t, map[string]any{"alg": "RS256", "kid": "key-1"}, claims, func(string) []byte { return public }),
			badSignature,
		},
		"a key that the token brings along": {
			unsigned(
				t,
				map[string]any{"alg": "ES256", "kid": "key-1", "jwk": map[string]any{"kty": "EC"}},
				claims,
				func(string) []byte { return make([]byte, 64) },
			),
			malformed,
		},
		"a key of another provider under the same name": {other.Token(remote.Claims(nil)), badSignature},
		"another body":           {body[0] + "." + strings.Split(remote.Token(map[string]any{"sub": "eve"}), ".")[1] + "." + body[2], badSignature},
		"no signature":           {body[0] + "." + body[1] + ".", badSignature},
		"two parts":              {body[0] + "." + body[1], malformed},
		"nothing":                {"", malformed},
		"a token that is longer": {remote.Token(map[string]any{"x": strings.Repeat("x", maxToken)}), malformed},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := newProvider(t, remote)
			if got := reasonOf(t, p, good); got != "" {
				t.Fatalf("the good token is refused: %s", got)
			}
			if got := reasonOf(t, p, c.token); got != c.want {
				t.Errorf("the reason is %q, want %q", got, c.want)
			}
		})
	}
}

func TestATokenOfAnotherTypeIsRefused(t *testing.T) {
	remote := oidctest.New(t)
	key := rsaKey(t, 2048)
	remote.Sign(key, true)
	for kind, want := range map[jose.ContentType]string{
		"JWT":        "",
		"at+jwt":     "",
		"logout+jwt": wrongType,
		"dpop+jwt":   wrongType,
	} {
		p, _ := newProvider(t, remote)
		if got := reasonOf(t, p, oidctest.Signed(t, key, kind, remote.Claims(nil))); got != want {
			t.Errorf("typ %s: the reason is %q, want %q", kind, got, want)
		}
	}
}

func rsaKey(t *testing.T, bits int) jose.JSONWebKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return jose.JSONWebKey{Key: key, KeyID: "rsa", Algorithm: string(jose.RS256)}
}

// plain are settings for payloads without a provider's signature.
var plain = Settings{
	Issuer:         "i",
	Audience:       "a",
	PrincipalClaim: "sub",
	GroupsClaim:    "groups",
}

func TestADuplicateClaimIsRefused(t *testing.T) {
	_, err := plain.person([]byte(`{"iss":"i","aud":"a","sub":"ann","exp":9999999999,"sub":"eve"}`), time.Now())
	if err == nil || err.Error() != noClaims {
		t.Errorf("the error is %v, want %q", err, noClaims)
	}
}

func TestKeysThatCannotSignAreLeftOut(t *testing.T) {
	remote := oidctest.New(t)
	p, _ := newProvider(t, remote)
	remote.Publish(jose.JSONWebKey{Key: []byte("a shared secret of 32 characters"), KeyID: "hmac"})
	encrypting := rsaKey(t, 2048)
	encrypting.Use = "enc"
	remote.Publish(encrypting.Public())
	if n, err := p.Keys(t.Context()); n != 1 || err != nil {
		t.Errorf("%d keys count (%v), want the one for signing", n, err)
	}
	private := rsaKey(t, 2048)
	if public, ok := usable(private); !ok || !public.IsPublic() {
		t.Error("of a private key in the set, the public half is not taken")
	}
}

func TestARotatedKeyIsFound(t *testing.T) {
	remote := oidctest.New(t)
	p, at := newProvider(t, remote)
	old := remote.Token(nil)
	if got := reasonOf(t, p, old); got != "" {
		t.Fatal(got)
	}
	remote.Rotate(true)
	next := remote.Token(nil)
	if got := reasonOf(t, p, next); got != "outage" {
		t.Errorf("within the pause the answer is %q, want that it cannot be checked", got)
	}
	at.pass(pause)
	if got := reasonOf(t, p, next); got != "" {
		t.Errorf("the new key is not found: %s", got)
	}
	at.pass(pause)
	if got := reasonOf(t, p, old); got != unknownKey {
		t.Errorf("a key that was withdrawn is answered with %q, want %q", got, unknownKey)
	}
}

func TestAKeyThatIsWithdrawnStopsCountingWithoutANewOne(t *testing.T) {
	remote := oidctest.New(t)
	p, at := newProvider(t, remote)
	old := remote.Token(map[string]any{"exp": time.Now().Add(3 * time.Hour).Unix()})
	if got := reasonOf(t, p, old); got != "" {
		t.Fatal(got)
	}
	remote.Rotate(true)
	at.pass(maxAge)
	if got := reasonOf(t, p, old); got != "" {
		t.Fatalf("the first token after a while is refused: %s", got)
	}
	p.mu.Lock()
	reading := p.fetching
	p.mu.Unlock()
	if reading != nil {
		<-reading
	}
	at.pass(pause)
	if got := reasonOf(t, p, old); got != unknownKey {
		t.Errorf("the answer is %q, want %q", got, unknownKey)
	}
}

func TestAnOutageIsNeverATokensFault(t *testing.T) {
	remote := oidctest.New(t)
	p, at := newProvider(t, remote)
	remote.Down(true)
	good := remote.Token(nil)
	if got := reasonOf(t, p, good); got != "outage" {
		t.Fatalf("before any key is known the answer is %q", got)
	}
	remote.Down(false)
	at.pass(retryAfter)
	if got := reasonOf(t, p, good); got != "" {
		t.Fatalf("after the outage the answer is %q", got)
	}
	remote.Down(true)
	at.pass(time.Minute)
	if got := reasonOf(t, p, good); got != "" {
		t.Errorf("a token with a known key is answered with %q", got)
	}
	remote.Rotate(true)
	if got := reasonOf(t, p, remote.Token(nil)); got != "outage" {
		t.Errorf("a token with an unknown key is answered with %q", got)
	}
	at.pass(time.Hour)
	if got := reasonOf(t, p, good); got != expired {
		t.Errorf("an expired token with a known key is answered with %q", got)
	}
	_, err := p.Check(t.Context(), remote.Token(nil))
	down, ok := errors.AsType[*Outage](err)
	if !ok || down.Wait <= 0 || down.Wait > pause {
		t.Errorf("the error is %v, want an outage with the time to wait", err)
	}
}

func TestUnknownKeysDoNotMakeTheProviderBusy(t *testing.T) {
	remote := oidctest.New(t)
	p, at := newProvider(t, remote)
	if got := reasonOf(t, p, remote.Token(nil)); got != "" {
		t.Fatal(got)
	}
	at.pass(pause)
	forger := rsaKey(t, 2048)
	for i := range 20 {
		forger.KeyID = fmt.Sprint("forged-", i)
		want := "outage"
		if i == 0 {
			want = unknownKey
		}
		if got := reasonOf(t, p, oidctest.Signed(t, forger, "JWT", remote.Claims(nil))); got != want {
			t.Errorf("token %d is answered with %q, want %q", i, got, want)
		}
	}
	if n := remote.Asked(); n != 2 {
		t.Errorf("the key set was read %d times, want 2", n)
	}
	if got := reasonOf(t, p, remote.Token(nil)); got != "" {
		t.Errorf("a good token is refused meanwhile: %s", got)
	}
}

func TestADiscoveryDocumentOfAnotherIssuerCountsAsAnOutage(t *testing.T) {
	remote := oidctest.New(t)
	remote.SayIssuer("https://login.evil.example")
	p, _ := newProvider(t, remote)
	if got := reasonOf(t, p, remote.Token(nil)); got != "outage" {
		t.Errorf("the answer is %q", got)
	}
}

func TestATokenWithoutAKeyIDIsComparedWithAllKeys(t *testing.T) {
	remote := oidctest.New(t)
	key := rsaKey(t, 2048)
	remote.Sign(key, true)
	p, _ := newProvider(t, remote)
	key.KeyID = ""
	if got := reasonOf(t, p, oidctest.Signed(t, key, "JWT", remote.Claims(nil))); got != "" {
		t.Errorf("the reason is %q", got)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("eyJhbGciOiJub25lIn0.e30.", `{"iss":"i","aud":"a","exp":1}`)
	f.Add("eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ.e30.AAAA", `{"iss":"i","aud":["a"],"sub":"ann","exp":9999999999,"groups":["x"]}`)
	f.Add("..", `{"aud":null,"groups":{"a":{"b":"c"}},"exp":1e400}`)
	p := New(plain)
	p.tried, p.failed = time.Now(), errors.New("down") // nothing is asked over the network
	p.now = func() time.Time { return p.tried }
	f.Fuzz(func(t *testing.T, token, payload string) {
		if person, err := p.Check(t.Context(), token); err == nil {
			t.Errorf("a token that nobody has signed names %q", person.Name)
		}
		person, err := plain.person([]byte(payload), time.Now())
		if err != nil {
			return
		}
		if person.Name == "" || !person.Expires.After(time.Now()) {
			t.Errorf("%q names %+v", payload, person)
		}
	})
}
