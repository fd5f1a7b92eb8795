package oauth_test

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpproxy/internal/eventually"
	"mcpproxy/internal/porttest"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/upstream/oauth"
	"mcpproxy/internal/upstream/oauth/oauthtest"
)

func TestALoginOpensTheServer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		be       oauthtest.Behaviour
		settings func(r *rig) oauth.Settings
	}{
		"of a client that registers itself":       {oauthtest.Behaviour{}, nil},
		"of one that gets a secret":               {oauthtest.Behaviour{Secret: true}, nil},
		"of a configured client":                  {oauthtest.Behaviour{NoRegister: true}, func(*rig) oauth.Settings { return oauth.Settings{ClientID: "public"} }},
		"of a configured client with a secret":    {oauthtest.Behaviour{Secret: true}, func(*rig) oauth.Settings { return oauth.Settings{ClientID: "confidential", ClientSecret: clientSecret} }},
		"at a configured issuer":                  {oauthtest.Behaviour{}, func(r *rig) oauth.Settings { return oauth.Settings{Issuer: r.Issuer + "/"} }},
		"at an issuer that does not sign":         {oauthtest.Behaviour{NoIss: true}, nil},
		"without refresh tokens":                  {oauthtest.Behaviour{NoRefresh: true}, nil},
		"at a server that says nothing of itself": {oauthtest.Behaviour{NoMetadata: true}, func(r *rig) oauth.Settings { return oauth.Settings{Issuer: r.Issuer} }},
		"at one of two issuers": {oauthtest.Behaviour{}, func(r *rig) oauth.Settings {
			r.set(oauthtest.Behaviour{Issuers: []string{"https://other.example", r.Issuer}})
			return oauth.Settings{Issuer: r.Issuer}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c.be)
			var s oauth.Settings
			if c.settings != nil {
				s = c.settings(r)
			}
			a := r.account(s)
			server, manager := r.connect(a)
			if err := r.call(server, "read_page"); command(err) != "mcpproxy upstream login wiki" {
				t.Fatalf("before the login: %v", err)
			}
			eventually.True(t, "the status says so", func() bool {
				st := server.Status()
				return st.Login == "mcpproxy upstream login wiki" &&
					strings.Contains(st.Error, "nobody has logged in") &&
					st.Faults == 0
			})
			g, err := r.login(a)
			if err != nil {
				t.Fatal(err)
			}
			manager.Reopen("wiki")
			if err := r.call(server, "read_page"); err != nil {
				t.Fatal(err)
			}
			eventually.True(t, "the status is good", func() bool { return server.Status().Login == "" })
			if l := r.log(); l.Traded != 1 || l.Called == 0 {
				t.Errorf("the servers saw %+v", l)
			}
			if g.Issuer != r.Issuer || g.Resource != r.MCP ||
				!strings.Contains(strings.Join(g.Scopes, " "), "offline_access") {
				t.Errorf("the grant is of %s for %s with %v", g.Issuer, g.Resource, g.Scopes)
			}
			again := oauth.New(r.spec, s, r.store)
			if token, err := again.Bearer(t.Context()); err != nil || token != g.Secrets.Access {
				t.Errorf("after a new start: %v", err)
			}
		})
	}
}

// The older transport has a stream and separate POST requests. Both carry the token, and both use the next token after
// a refusal.
func TestALoginOpensAServerOfTheOlderTransport(t *testing.T) {
	t.Parallel()
	r := newRig(t, oauthtest.Behaviour{SSE: true})
	r.spec.Protocol = upstream.SSE
	a := r.account(oauth.Settings{})
	server, manager := r.connect(a)
	if err := r.call(server, "read_page"); command(err) != "mcpproxy upstream login wiki" {
		t.Fatalf("before the login: %v", err)
	}
	if _, err := r.login(a); err != nil {
		t.Fatal(err)
	}
	manager.Reopen("wiki")
	if err := r.call(server, "read_page"); err != nil {
		t.Fatal(err)
	}
	end := func() {
		if err := r.EndAccess(); err != nil {
			t.Fatal(err)
		}
	}
	end()
	if err := r.call(server, "read_page"); err != nil {
		t.Errorf("on a stream whose token is over: %v", err)
	}
	if l := r.log(); l.Renewed != 1 {
		t.Errorf("the token was renewed %d times", l.Renewed)
	}
	if err := r.call(server, "write_page"); !strings.HasSuffix(command(err), " --scope wiki:write") {
		t.Errorf("a call that needs more rights: %v", err)
	}
	end()
	manager.Reopen("wiki")
	if err := r.call(server, "read_page"); err != nil {
		t.Errorf("a stream that begins with a token that is over: %v", err)
	}
	if l := r.log(); l.Renewed != 2 || l.Traded != 1 {
		t.Errorf("the servers saw %+v", l)
	}
}

// A login that nobody completes times out, and changes nothing.
func TestALoginThatNobodyCompletesTimesOut(t *testing.T) {
	t.Parallel()
	r := newRig(t, oauthtest.Behaviour{})
	if oauth.LoginTime != 5*time.Minute {
		t.Errorf("a login takes %s", oauth.LoginTime)
	}
	before, err := r.login(r.account(oauth.Settings{}))
	if err != nil {
		t.Fatal(err)
	}
	a := r.account(oauth.Settings{})
	a.SetLoginTime(time.Second)
	var back string
	_, err = a.Login(t.Context(), oauth.LoginOptions{Show: func(_, address string) {
		u, _ := url.Parse(address)
		back = u.Query().Get("redirect_uri")
	}})
	if err == nil || err.Error() != "nobody logged in within 1s" {
		t.Fatalf("the login ended with %v", err)
	}
	u, _ := url.Parse(back)
	l, err := net.Listen("tcp", u.Host)
	if err != nil {
		t.Fatalf("the port that the browser returns to is still open: %v", err)
	}
	l.Close()
	if token, err := a.Bearer(t.Context()); err != nil || token != before.Secrets.Access {
		t.Errorf("the grant of before is not used: %v", err)
	}
}

// clientSecret is the secret of the client "confidential" at the authorization server.
const clientSecret = "s3cret-of-the-configuration"

func TestABadServerGetsNoCodeTraded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		be       oauthtest.Behaviour
		settings oauth.Settings
		says     string
	}{
		"an answer of another issuer":               {oauthtest.Behaviour{Iss: "https://evil.example"}, oauth.Settings{}, "the answer is from https://evil.example"},
		"another issuer that is not announced":      {oauthtest.Behaviour{Iss: "https://evil.example", NoIss: false}, oauth.Settings{}, "was refused"},
		"an answer that should name its issuer":     {oauthtest.Behaviour{LoseIss: true}, oauth.Settings{}, "does not name its issuer"},
		"no PKCE":                                   {oauthtest.Behaviour{Methods: []string{}}, oauth.Settings{}, "PKCE"},
		"PKCE in the clear":                         {oauthtest.Behaviour{Methods: []string{"plain"}}, oauth.Settings{}, "PKCE with S256"},
		"metadata of another resource":              {oauthtest.Behaviour{Resource: "https://other.example/mcp"}, oauth.Settings{}, "another resource"},
		"metadata of another path":                  {oauthtest.Behaviour{Resource: "SELF/mcp/deeper"}, oauth.Settings{}, "another resource"},
		"an issuer in the clear":                    {oauthtest.Behaviour{Issuers: []string{"http://auth.example"}}, oauth.Settings{}, "not encrypted"},
		"an issuer on the local link":               {oauthtest.Behaviour{Issuers: []string{"https://169.254.169.254"}}, oauth.Settings{}, "authorization server https://169.254.169.254"},
		"another issuer than the configured one":    {oauthtest.Behaviour{Issuers: []string{"https://evil.example"}}, oauth.Settings{Issuer: "https://auth.example"}, "oauth.issuer in the configuration is https://auth.example"},
		"no issuer":                                 {oauthtest.Behaviour{Issuers: []string{}}, oauth.Settings{}, "names no authorization server"},
		"no metadata anywhere":                      {oauthtest.Behaviour{NoMetadata: true}, oauth.Settings{}, "how to get a token"},
		"no registration":                           {oauthtest.Behaviour{NoRegister: true}, oauth.Settings{}, "oauth.client_id"},
		"a person who says no":                      {oauthtest.Behaviour{Refuse: "access_denied"}, oauth.Settings{}, "access_denied"},
		"a client that is not known":                {oauthtest.Behaviour{Secret: true}, oauth.Settings{ClientID: "confidential", ClientSecret: "wrong-secret-1"}, "invalid_client"},
		"a token endpoint that sends it elsewhere":  {oauthtest.Behaviour{Redirect: "http://127.0.0.1:1/token"}, oauth.Settings{}, "refusing a redirect"},
		"a token endpoint that sends it on":         {oauthtest.Behaviour{Redirect: "/token?again"}, oauth.Settings{}, "refusing a redirect"},
		"a client secret that leaks into the error": {oauthtest.Behaviour{Secret: true, Echo: true}, oauth.Settings{ClientID: "confidential", ClientSecret: "wrong-secret-2"}, "invalid_client"},
		"the code that leaks into the error":        {oauthtest.Behaviour{Echo: true, Type: "mac"}, oauth.Settings{}, "Bearer only"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, oauthtest.Behaviour{})
			c.be.Resource = strings.Replace(c.be.Resource, "SELF", strings.TrimSuffix(r.MCP, "/mcp"), 1)
			r.set(c.be)
			_, err := r.login(r.account(c.settings))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("got %v", err)
			}
			r.hides(err.Error())
			if strings.Contains(err.Error(), "wrong-secret") || strings.ContainsRune(err.Error(), '\x1b') {
				t.Errorf("the error is %q", err)
			}
			if l := r.log(); l.Traded > 0 && c.be.Type == "" {
				t.Errorf("a code was traded: %+v", l)
			}
			if g, err := r.store.Find("wiki"); g != nil || err != nil {
				t.Errorf("the store holds %v, %v", g, err)
			}
		})
	}
}

// An answer with another state does not belong to this login, which continues.
func TestAnAnswerWithAnotherStateIsRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t, oauthtest.Behaviour{State: "of-somebody-else"})
	notices := make(chan string, 10)
	shown := make(chan string, 1)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := r.account(oauth.Settings{}).
			Login(ctx, oauth.LoginOptions{Notice: func(s string) { notices <- s }, Show: func(_, address string) { shown <- address }})
		ended <- err
	}()
	address := <-shown
	status, page, err := oauthtest.Browse(address)
	if err != nil || status != http.StatusBadRequest || strings.Contains(page, "script") {
		t.Errorf("the browser shows %d %s, %v", status, page, err)
	}
	if n := <-notices; !strings.Contains(n, "does not belong") {
		t.Errorf("the notice is %q", n)
	}
	if r.log().Traded != 0 {
		t.Error("a code was traded")
	}
	r.set(oauthtest.Behaviour{}) // and now the right answer
	if _, page, err := oauthtest.Browse(address); err != nil || !strings.Contains(page, "You are logged in") {
		t.Errorf("the browser shows %s, %v", page, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	cancel()
}

// A request that is not the browser's return has no effect. (Not in parallel: another test could get the port that
// must be closed at the end.)
func TestOnlyTheBrowsersReturnIsTaken(t *testing.T) {
	r := newRig(t, oauthtest.Behaviour{})
	shown := make(chan string, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var done sync.WaitGroup
	defer done.Wait()
	done.Go(func() {
		_, err := r.account(oauth.Settings{}).
			Login(ctx, oauth.LoginOptions{Show: func(_, address string) { shown <- address }})
		if err == nil {
			t.Error("a login came of nothing")
		}
	})
	asked, err := url.Parse(<-shown)
	if err != nil {
		t.Fatal(err)
	}
	back, state := asked.Query().Get("redirect_uri"), asked.Query().Get("state")
	if host, _ := url.Parse(back); host.Hostname() != "127.0.0.1" || len(state) < 22 {
		t.Errorf("the browser returns to %s with the state %q", back, state)
	}
	good := url.Values{"state": {state}, "code": {"x"}, "iss": {r.Issuer}}.Encode()
	for name, c := range map[string]struct {
		method, path, host string
		want               int
	}{
		"another path":              {"GET", "/other?" + good, "", 404},
		"another method":            {"POST", "/callback?" + good, "", 405},
		"another name of the host":  {"GET", "/callback?" + good, "evil.example", 403},
		"no state":                  {"GET", "/callback?code=x", "", 400},
		"two states":                {"GET", "/callback?" + good + "&state=" + state, "", 400},
		"two codes":                 {"GET", "/callback?" + good + "&code=y", "", 400},
		"a query that is malformed": {"GET", "/callback?" + good + ";%zz", "", 400},
	} {
		req, err := http.NewRequest(c.method, strings.TrimSuffix(back, "/callback")+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = c.host
		resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		resp.Body.Close()
		if resp.StatusCode != c.want ||
			!strings.Contains(resp.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: status %d, headers %v", name, resp.StatusCode, resp.Header)
		}
	}
	cancel()
	done.Wait()
	if _, err := net.DialTimeout(
		"tcp",
		strings.TrimSuffix(strings.TrimPrefix(back, "http://"), "/callback"),
		time.Second,
	); err == nil {
		t.Error("the port is open after the end of the login")
	}
}

func TestARegistrationIsUsedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, oauthtest.Behaviour{Secret: true})
	a := r.loggedIn(oauth.Settings{})
	if _, err := r.login(a); err != nil {
		t.Fatal(err)
	}
	if l := r.log(); l.Registered != 1 || l.Traded != 2 {
		t.Errorf("the second login: %+v", l)
	}
	if _, err := a.Logout(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.login(a); err != nil {
		t.Fatal(err)
	}
	if l := r.log(); l.Registered != 2 {
		t.Errorf("after a logout: %+v", l)
	}
}

func TestTheConfiguredPortIsUsed(t *testing.T) {
	t.Parallel()
	r := newRig(t, oauthtest.Behaviour{})
	address := porttest.Free(t)
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := net.SplitHostPort(address)
	port, _ := strconv.Atoi(text)
	if _, err := r.login(
		r.account(oauth.Settings{RedirectPort: port}),
	); err == nil ||
		!strings.Contains(err.Error(), "in use") {
		t.Errorf("with a port that is taken: %v", err)
	}
	l.Close()
	g, err := r.login(r.account(oauth.Settings{RedirectPort: port}))
	if err != nil || g.RedirectURI != "http://127.0.0.1:"+text+"/callback" {
		t.Errorf("got %v, %v", g, err)
	}
}

func TestALogoutRevokesAndForgets(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		be      oauthtest.Behaviour
		revoked int
		problem string
	}{
		"where that is possible":   {oauthtest.Behaviour{Secret: true}, 2, ""},
		"where there is no way to": {oauthtest.Behaviour{NoRevoke: true}, 0, "does not support the revocation"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c.be)
			a := r.loggedIn(oauth.Settings{})
			result, err := oauth.Leave("wiki", r.store).Logout(t.Context())
			if err != nil || result.Revoked != (c.revoked > 0) || !strings.Contains(result.Problem, c.problem) ||
				result.Issuer != r.Issuer {
				t.Fatalf("got %+v, %v", result, err)
			}
			if l := r.log(); l.Revoked != c.revoked {
				t.Errorf("the authorization server saw %+v", l)
			}
			if !a.Reload() {
				t.Error("the account notices nothing")
			}
			if _, err := a.Bearer(t.Context()); command(err) == "" {
				t.Errorf("after the logout: %v", err)
			}
			if _, err := a.Logout(t.Context()); err != oauth.ErrNoLogin {
				t.Errorf("a second logout: %v", err)
			}
		})
	}
}

// A login succeeds even if the grant of an earlier login is in a keyring that cannot be reached.
func TestALoginReplacesAGrantThatCannotBeRead(t *testing.T) {
	t.Parallel()
	r := newRig(t, oauthtest.Behaviour{})
	there := oauth.OpenStore(r.store.Path(), &ring{kept: map[string]string{}})
	g := grant("desktop", 0)
	if err := there.Put(t.Context(), g, oauth.InRing); err != nil {
		t.Fatal(err)
	}
	a := r.account(oauth.Settings{Place: oauth.Auto})
	if _, err := a.Bearer(t.Context()); err == nil || !strings.Contains(err.Error(), "log in again") {
		t.Errorf("before: %v", err)
	}
	if _, err := r.login(a); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Bearer(t.Context()); err != nil {
		t.Errorf("after: %v", err)
	}
}
