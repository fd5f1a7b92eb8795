package oidc_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"mcpproxy/internal/auth/oidc"
	"mcpproxy/internal/auth/oidc/oidctest"
)

func TestALogoutTokenEndsTheLoginsThatItNames(t *testing.T) {
	p := oidctest.New(t)
	c := client(p)
	p.Person(map[string]any{"sid": "s1"})
	withSession, err := logIn(t, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Person(nil)
	without, err := logIn(t, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, one := range map[string]struct {
		claims           map[string]any
		session, without bool
	}{
		"a person":                          {map[string]any{"sub": "ann"}, true, true},
		"another person":                    {map[string]any{"sub": "eve"}, false, false},
		"a session":                         {map[string]any{"sub": nil, "sid": "s1"}, true, false},
		"another session":                   {map[string]any{"sub": nil, "sid": "s2"}, false, false},
		"a person and a session":            {map[string]any{"sub": "ann", "sid": "s1"}, true, true},
		"a person and another session":      {map[string]any{"sub": "ann", "sid": "s2"}, false, true},
		"the session of another person":     {map[string]any{"sub": "eve", "sid": "s1"}, false, false},
		"a person, to two clients, no exp ": {map[string]any{"aud": []string{"wiki", "page"}, "exp": nil}, true, true},
	} {
		one.claims["jti"] = name
		for _, kind := range []jose.ContentType{"logout+jwt", "JWT"} {
			one.claims["jti"] = name + string(kind)
			out, err := c.Logout(t.Context(), p.LogoutToken(kind, one.claims))
			if err != nil || out.Ends(withSession) != one.session || out.Ends(without) != one.without {
				t.Errorf("%s, %s: %+v ends %t and %t, %v", name, kind, out, out.Ends(withSession), out.Ends(without), err)
			}
		}
	}
}

func TestInvalidLogoutTokensAreRefused(t *testing.T) {
	p := oidctest.New(t)
	c := client(p)
	now := time.Now().Unix()
	for name, one := range map[string]struct {
		claims map[string]any
		want   string
	}{
		"of another issuer":         {map[string]any{"iss": "https://evil.example"}, "the logout token is of another issuer"},
		"for another client":        {map[string]any{"aud": "wiki"}, "the logout token is for another audience"},
		"without an audience":       {map[string]any{"aud": nil}, "another audience"},
		"without iat":               {map[string]any{"iat": nil}, "too old"},
		"of an hour ago":            {map[string]any{"iat": now - 3600}, "too old"},
		"of tomorrow":               {map[string]any{"iat": now + 86400}, "not valid yet"},
		"that has expired":          {map[string]any{"exp": now - 1}, "has expired"},
		"without events":            {map[string]any{"events": nil}, "no event"},
		"with another event":        {map[string]any{"events": map[string]any{"https://example.com/x": map[string]any{}}}, "no event"},
		"with an event of a number": {map[string]any{"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": 1}}, "no event"},
		"with a nonce":              {map[string]any{"nonce": "x"}, "a nonce"},
		"without jti":               {map[string]any{"jti": nil}, "no jti"},
		"of nobody":                 {map[string]any{"sub": nil}, "neither a person nor a session"},
		"of a number":               {map[string]any{"sub": 1}, "neither a person nor a session"},
	} {
		_, err := c.Logout(t.Context(), p.LogoutToken("logout+jwt", one.claims))
		if err == nil || !strings.Contains(err.Error(), one.want) {
			t.Errorf("a logout token %s: %v", name, err)
		}
	}
	for _, kind := range []jose.ContentType{"at+jwt", "secevent+jwt"} {
		if _, err := c.Logout(t.Context(), p.LogoutToken(kind, nil)); err == nil {
			t.Errorf("a token of the type %s logs out", kind)
		}
	}
	forger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	forged := oidctest.Signed(t, jose.JSONWebKey{Key: forger, KeyID: "key-1", Algorithm: "ES256"}, "logout+jwt", p.Claims(nil))
	if _, err := c.Logout(t.Context(), forged); err == nil || !strings.Contains(err.Error(), "signature") {
		t.Errorf("a forged token: %v", err)
	}
	good := p.LogoutToken("logout+jwt", nil)
	if _, err := c.Logout(t.Context(), good); err != nil {
		t.Error(err)
	}
	if _, err := c.Logout(t.Context(), good); err == nil || !strings.Contains(err.Error(), "used before") {
		t.Errorf("a token counts twice: %v", err)
	}
}

// A login token is never accepted as a logout token, or a logout token as a login token.
func TestLogoutTokensAndIDTokensAreNotInterchangeable(t *testing.T) {
	p := oidctest.New(t)
	c := client(p)
	l, err := logIn(t, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Logout(t.Context(), l.IDToken); err == nil {
		t.Error("an ID token logs out")
	}
	if _, err := oidc.New(oidc.Settings{
		Issuer:         p.Issuer,
		Audience:       oidctest.Audience,
		PrincipalClaim: "sub",
	}).Check(t.Context(), p.LogoutToken("JWT", map[string]any{"aud": oidctest.Audience})); err == nil {
		t.Error("a logout token lets an agent in")
	}
}

func FuzzLogout(f *testing.F) {
	f.Add("")
	f.Add("eyJhbGciOiJFUzI1NiJ9.e30.AAAA")
	f.Fuzz(func(t *testing.T, raw string) {
		p := oidctest.New(t)
		p.Down(true)
		if out, err := client(p).Logout(context.Background(), raw); err == nil {
			t.Fatalf("%q ends %+v", raw, out)
		}
	})
}
