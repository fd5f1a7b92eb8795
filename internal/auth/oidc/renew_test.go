package oidc_test

import (
	"errors"
	"strings"
	"testing"

	"mcpproxy/internal/auth/oidc"
	"mcpproxy/internal/auth/oidc/oidctest"
)

// groupsOf returns the groups of a login as one text.
func groupsOf(l oidc.Login) string { return strings.Join(l.Groups, " ") }

func TestARenewedLoginHasTheGroupsOfToday(t *testing.T) {
	for name, how := range map[string]func(*oidctest.Provider, ...string){
		"from a renewed ID token": func(p *oidctest.Provider, groups ...string) {
			p.Renews(true)
			p.Person(map[string]any{"groups": groups})
		},
		"from userinfo after the refresh token": func(p *oidctest.Provider, groups ...string) {
			p.Renews(false)
			p.Person(map[string]any{"groups": nil})
			p.UserInfo(map[string]any{"sub": "ann", "groups": groups})
		},
		"from userinfo without a refresh token": func(p *oidctest.Provider, groups ...string) {
			p.Person(map[string]any{"groups": nil})
			p.UserInfo(map[string]any{"sub": "ann", "groups": groups})
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := oidctest.New(t)
			how(p, "admins", "staff")
			c := client(p)
			l, err := logIn(t, c, nil)
			if err != nil || groupsOf(l) != "admins staff" {
				t.Fatalf("%+v, %v", l, err)
			}
			for range 2 { // the second time with the second refresh token
				how(p, "staff")
				if l, err = c.Renew(t.Context(), l); err != nil || groupsOf(l) != "staff" || l.Name != "ann" {
					t.Fatalf("%+v, %v", l, err)
				}
			}
			p.Down(true)
			if _, err := c.Renew(t.Context(), l); !isOutage(err) {
				t.Errorf("a provider that is down is no outage: %v", err)
			}
			p.Down(false)
			p.Revoke()
			_, err = c.Renew(t.Context(), l)
			if _, ok := errors.AsType[*oidc.Refused](err); !ok {
				t.Errorf("a login that was revoked is renewed: %v", err)
			}
		})
	}
}

func isOutage(err error) bool {
	_, ok := errors.AsType[*oidc.Outage](err)
	return ok
}

func TestALoginThatCannotBeRenewedSaysSo(t *testing.T) {
	p := oidctest.New(t)
	c := client(p)
	l, err := logIn(t, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Renew(t.Context(), l); !errors.Is(err, oidc.ErrNotRenewable) {
		t.Error(err)
	}
}

func TestARenewedIDTokenIsOfTheSamePerson(t *testing.T) {
	for name, c := range map[string]struct {
		person map[string]any
		want   string
	}{
		"another person":                  {map[string]any{"sub": "eve"}, "another person"},
		"another nonce":                   {map[string]any{"nonce": "x"}, "not for this login"},
		"another client":                  {map[string]any{"aud": "wiki"}, "the ID token is for another audience"},
		"another issuer":                  {map[string]any{"iss": "https://evil.example"}, "another issuer"},
		"one that has expired":            {map[string]any{"exp": 1000}, "has expired"},
		"a claim of groups of wrong form": {map[string]any{"groups": 1}, "neither a text nor a list"},
	} {
		p := oidctest.New(t)
		p.Renews(true)
		client := client(p)
		l, err := logIn(t, client, nil)
		if err != nil {
			t.Fatal(err)
		}
		p.Person(c.person)
		_, err = client.Renew(t.Context(), l)
		if invalid, ok := errors.AsType[*oidc.Invalid](err); !ok || !strings.Contains(invalid.Reason, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
