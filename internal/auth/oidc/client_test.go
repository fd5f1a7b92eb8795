package oidc_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"mcpproxy/internal/auth/oidc"
	"mcpproxy/internal/auth/oidc/oidctest"
)

const back = "https://mcp.acme.example/ui/login"

func client(p *oidctest.Provider) *oidc.Client {
	return oidc.NewClient(
		oidc.Settings{Issuer: p.Issuer, PrincipalClaim: "sub", GroupsClaim: "groups"},
		oidc.ClientSettings{
			ID:       oidctest.ClientID,
			Secret:   oidctest.ClientSecret,
			Redirect: back,
			Return:   "https://mcp.acme.example/ui/",
			Scopes:   []string{"profile"},
		},
	)
}

// visit opens the provider's page, as a browser does, and returns the query of the redirect.
func visit(t *testing.T, address string) url.Values {
	t.Helper()
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	to := resp.Header.Get("Location")
	if !strings.HasPrefix(to, back+"?") {
		t.Fatalf("the provider answers %d and sends the browser to %q", resp.StatusCode, to)
	}
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

// logIn logs in with a provider. Change may change the answer of the provider.
func logIn(t *testing.T, c *oidc.Client, change func(url.Values)) (oidc.Login, error) {
	t.Helper()
	address, a, err := c.Begin(t.Context())
	if err != nil {
		return oidc.Login{}, err
	}
	query := visit(t, address)
	if query.Get("state") != a.State || a.State == "" {
		t.Errorf("the state is %q", query.Get("state"))
	}
	if change != nil {
		change(query)
	}
	return c.Finish(t.Context(), a, query)
}

func TestAPersonLogsInByACode(t *testing.T) {
	p := oidctest.New(t)
	c := client(p)
	address, _, err := c.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	if q.Get("scope") != "openid profile" || q.Get("redirect_uri") != back || len(q.Get("nonce")) < 20 ||
		q.Get("code_challenge") == "" || strings.Contains(address, "secret") {
		t.Errorf("the browser is sent to %s", address)
	}
	got, err := logIn(t, c, nil)
	if err != nil || got.Name != "ann" || len(got.Groups) != 1 || got.Groups[0] != "developers" || got.IDToken == "" {
		t.Errorf("got %+v, %v", got, err)
	}
	end := c.EndSession(t.Context(), got.IDToken)
	if !strings.HasPrefix(end, p.Issuer+"/end?") || !strings.Contains(end, "post_logout_redirect_uri=https%3A%2F%2Fmcp") {
		t.Errorf("the end of the session is %s", end)
	}
}

func TestInvalidLoginsAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		person, about map[string]any
		change        func(url.Values)
		want          string
	}{
		"an ID token with another nonce":         {person: map[string]any{"nonce": "x"}, want: "not for this login"},
		"an ID token without a nonce":            {person: map[string]any{"nonce": nil}, want: "not for this login"},
		"an ID token for another client":         {person: map[string]any{"aud": "wiki"}, want: "the ID token is for another audience"},
		"an ID token for two, of another party":  {person: map[string]any{"aud": []string{"page", "wiki"}, "azp": "wiki"}, want: "another client"},
		"an ID token for two, of no party":       {person: map[string]any{"aud": []string{"page", "wiki"}}, want: "another client"},
		"a party that is not a text":             {person: map[string]any{"azp": 1}, want: "another client"},
		"an ID token of another issuer":          {person: map[string]any{"iss": "https://evil.example"}, want: "of another issuer"},
		"an ID token that has expired":           {person: map[string]any{"exp": 1000}, want: "has expired"},
		"an ID token without an expiry":          {person: map[string]any{"exp": nil}, want: "does not say when it expires"},
		"an ID token that names nobody":          {person: map[string]any{"sub": nil}, want: "does not name the person"},
		"the answer of another provider":         {change: func(q url.Values) { q.Set("iss", "https://evil.example") }, want: "another identity provider"},
		"an answer that should name its issuer":  {about: map[string]any{"authorization_response_iss_parameter_supported": true}, change: func(q url.Values) { q.Del("iss") }, want: "another identity provider"},
		"an answer without a code":               {change: func(q url.Values) { q.Del("code") }, want: "no code"},
		"a code that the provider did not give":  {change: func(q url.Values) { q.Set("code", "x") }, want: "invalid_grant"},
		"a refusal":                              {change: func(q url.Values) { q.Set("error", "access_denied") }, want: "access_denied"},
		"a refusal with markup":                  {change: func(q url.Values) { q.Set("error", "<b>") }, want: "an error without a code"},
		"a provider without a login":             {about: map[string]any{"authorization_endpoint": nil}, want: "authorization_endpoint"},
		"a login in the open":                    {about: map[string]any{"token_endpoint": "http://login.acme.example/token"}, want: "token_endpoint"},
		"a provider that does not know our PKCE": {about: map[string]any{"code_challenge_methods_supported": []string{"plain"}}, want: "PKCE"},
	} {
		t.Run(name, func(t *testing.T) {
			p := oidctest.New(t)
			p.Person(c.person)
			p.About(c.about)
			if got, err := logIn(t, client(p), c.change); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %+v, %v; want %q", got, err, c.want)
			} else if strings.Contains(err.Error(), "bearer token") || strings.Contains(err.Error(), "<") {
				t.Errorf("it says %v", err)
			}
		})
	}
}

func TestACodeOrAnAnswerIsNotUsedTwice(t *testing.T) {
	p := oidctest.New(t)
	c := client(p)
	first, _, err := c.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second, b, err := c.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	query := visit(t, first)
	if _, err := c.Finish(t.Context(), b, query); err == nil { // the code was made for another verifier
		t.Error("a code of another login counts")
	}
	query = visit(t, second)
	if _, err := c.Finish(t.Context(), b, query); err != nil {
		t.Error(err)
	}
	if _, err := c.Finish(t.Context(), b, query); err == nil {
		t.Error("a code counts twice")
	}
}

func TestAnAccessTokenIsRefusedAsAnIDToken(t *testing.T) {
	p := oidctest.New(t)
	p.IDType("at+jwt")
	if _, err := logIn(t, client(p), nil); err == nil || !strings.Contains(err.Error(), "another type") {
		t.Errorf("got %v", err)
	}
}

func TestWhatTheIDTokenLacksIsAskedOfUserInfo(t *testing.T) {
	for name, c := range map[string]struct {
		said map[string]any
		want string
	}{
		"of the same person":    {map[string]any{"sub": "ann", "groups": []string{"admins"}, "aud": "x", "exp": 1}, ""},
		"of another person":     {map[string]any{"sub": "eve", "groups": []string{"admins"}}, "another person"},
		"of nobody":             {map[string]any{"groups": []string{"admins"}}, "another person"},
		"with a list of others": {map[string]any{"sub": "ann", "groups": []int{1}}, "neither a text nor a list"},
	} {
		p := oidctest.New(t)
		p.Person(map[string]any{"groups": nil})
		p.UserInfo(c.said)
		got, err := logIn(t, client(p), nil)
		if c.want == "" && (err != nil || len(got.Groups) != 1 || got.Groups[0] != "admins") ||
			c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

func TestAnOutageOfTheProviderIsReported(t *testing.T) {
	p := oidctest.New(t)
	c := client(p)
	address, a, err := c.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	query := visit(t, address)
	p.Down(true)
	if _, err := c.Finish(t.Context(), a, query); err == nil {
		t.Error("it is logged in while the provider is down")
	} else if _, ok := errors.AsType[*oidc.Outage](err); !ok {
		t.Errorf("got %T %v", err, err)
	}
	if _, _, err := client(p).Begin(t.Context()); err == nil {
		t.Error("a login begins while the provider is down")
	}
}
