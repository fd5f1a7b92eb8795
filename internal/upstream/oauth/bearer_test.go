package oauth_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpproxy/internal/eventually"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/upstream/oauth"
	"mcpproxy/internal/upstream/oauth/oauthtest"
)

func TestATokenIsRenewedOnceForAll(t *testing.T) {
	t.Parallel()
	for name, be := range map[string]oauthtest.Behaviour{
		"with a refresh token that changes": {Slow: 100},
		"with one that stays":               {KeepRefresh: true, Slow: 100},
		"with a client secret":              {Secret: true, Slow: 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, be)
			a := r.loggedIn(oauth.Settings{})
			first, err := a.Bearer(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for round := 1; round <= 3; round++ {
				r.later(time.Duration(round) * 2 * time.Hour)
				var all sync.WaitGroup
				tokens := make([]string, 20)
				for i := range tokens {
					all.Go(func() {
						token, err := a.Bearer(t.Context())
						if tokens[i] = token; err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
				for _, token := range tokens {
					if token != tokens[0] || token == first {
						t.Fatalf("round %d: callers got different or old tokens", round)
					}
				}
				first = tokens[0]
				if l := r.log(); l.Renewed != round || l.Reused != 0 {
					t.Fatalf("round %d: %+v", round, l)
				}
				if g, err := r.store.Find("wiki"); err != nil || g.Secrets.Access != first || g.Serial != round {
					t.Fatalf("round %d: the store holds something else, %v", round, err)
				}
			}
		})
	}
}

func TestATokenIsRenewedBeforeItExpires(t *testing.T) {
	t.Parallel()
	r := newRig(t, oauthtest.Behaviour{}) // an hour
	a := r.loggedIn(oauth.Settings{})
	for at, renewed := range map[time.Duration]int{0: 0, 58 * time.Minute: 0} {
		r.later(at)
		if _, err := a.Bearer(t.Context()); err != nil || r.log().Renewed != renewed {
			t.Errorf("after %s: %d renewals, %v", at, r.log().Renewed, err)
		}
	}
	r.later(59*time.Minute + 30*time.Second)
	if _, err := a.Bearer(t.Context()); err != nil || r.log().Renewed != 1 {
		t.Errorf("half a minute before the end: %d renewals, %v", r.log().Renewed, err)
	}
}

// A token stays valid while the authorization server is down.
func TestAFailedRenewalIsTriedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, oauthtest.Behaviour{})
	a := r.loggedIn(oauth.Settings{})
	r.set(oauthtest.Behaviour{RefreshStatus: 503})
	r.later(59*time.Minute + 30*time.Second)
	if _, err := a.Bearer(t.Context()); err != nil {
		t.Errorf("while the token is good: %v", err)
	}
	r.later(2 * time.Hour)
	_, err := a.Bearer(t.Context())
	if err == nil || command(err) != "" || !strings.Contains(err.Error(), "503") {
		t.Fatalf("when it has expired: %v", err)
	}
	r.hides(err.Error())
	r.set(oauthtest.Behaviour{})
	if _, err := a.Bearer(t.Context()); err == nil {
		t.Error("it was tried again at once")
	}
	r.later(2*time.Hour + time.Minute)
	if _, err := a.Bearer(t.Context()); err != nil {
		t.Errorf("when the authorization server is up again: %v", err)
	}
}

func TestAnEndedLoginNeedsAPerson(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		be       oauthtest.Behaviour
		settings oauth.Settings
		says     string
	}{
		"revoked":                          {oauthtest.Behaviour{Echo: true}, oauth.Settings{}, "revoked or has expired"},
		"revoked, of a configured client":  {oauthtest.Behaviour{}, oauth.Settings{ClientID: "public"}, "revoked or has expired"},
		"expired, without a refresh token": {oauthtest.Behaviour{NoRefresh: true}, oauth.Settings{}, "expired"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c.be)
			a := r.loggedIn(c.settings)
			server, manager := r.connect(a)
			if err := r.call(server, "read_page"); err != nil {
				t.Fatal(err)
			}
			if err := r.EndLogins(); err != nil {
				t.Fatal(err)
			}
			r.later(2 * time.Hour)
			err := r.call(server, "read_page")
			if command(err) != "mcpproxy upstream login wiki" || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("got %v", err)
			}
			r.hides(err.Error())
			eventually.True(
				t,
				"the status says so",
				func() bool { return server.Status().Login != "" && server.Status().State == upstream.Failed },
			)
			r.hides(server.Status().Error)
			if st := server.Status(); st.Faults != 0 || st.Breaker != upstream.Closed {
				t.Errorf("it counts as a fault of the server: %+v", st)
			}
			before := r.log()
			for range 5 {
				_ = r.call(server, "read_page")
			}
			if l := r.log(); l.Refused != before.Refused || l.Renewed != before.Renewed {
				t.Errorf("without a token the servers are asked: %+v, before %+v", l, before)
			}
			r.later(0)
			if _, err := r.login(a); err != nil {
				t.Fatal(err)
			}
			manager.Reopen("wiki")
			if err := r.call(server, "read_page"); err != nil {
				t.Errorf("after a new login: %v", err)
			}
		})
	}
}

func TestARefusedTokenIsRenewedAndTheCallRepeatedOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, oauthtest.Behaviour{})
	a := r.loggedIn(oauth.Settings{})
	server, _ := r.connect(a)
	if err := r.call(server, "read_page"); err != nil {
		t.Fatal(err)
	}
	if err := r.EndAccess(); err != nil {
		t.Fatal(err)
	}
	if err := r.call(server, "read_page"); err != nil {
		t.Fatal(err)
	}
	if l := r.log(); l.Renewed != 1 {
		t.Errorf("the servers saw %+v", l)
	}
}

// If a server refuses every token, the authorization server does not get endless requests.
func TestAServerThatRefusesEveryTokenCausesNoEndlessRenewals(t *testing.T) {
	t.Parallel()
	r := newRig(t, oauthtest.Behaviour{})
	a := r.loggedIn(oauth.Settings{})
	r.set(oauthtest.Behaviour{Deaf: true})
	server, _ := r.connect(a)
	for range 5 {
		if err := r.call(server, "read_page"); command(err) == "" || !strings.Contains(err.Error(), "accepts no token") {
			t.Fatalf("got %v", err)
		}
	}
	if l := r.log(); l.Renewed != 1 || l.Refused > 3 { // one of the requests belongs to the login
		t.Errorf("the servers saw %+v", l)
	}
}

func TestACallThatNeedsMoreRightsSaysWhich(t *testing.T) {
	t.Parallel()
	r := newRig(t, oauthtest.Behaviour{})
	a := r.loggedIn(oauth.Settings{})
	server, _ := r.connect(a)
	err := r.call(server, "write_page")
	if command(err) != "mcpproxy upstream login wiki --scope wiki:write" ||
		!strings.Contains(err.Error(), "wiki:write") {
		t.Fatalf("got %v", err)
	}
	if err := r.call(server, "read_page"); err != nil || server.Status().Login != "" || server.Status().Faults != 0 {
		t.Errorf("the other calls: %v, %+v", err, server.Status())
	}
	g, err := r.login(r.account(oauth.Settings{}), "wiki:write") // by another process
	if err != nil || len(g.Scopes) != 3 {
		t.Fatalf("the login brought %v, %v", g, err)
	}
	if err := r.call(server, "write_page"); err != nil {
		t.Error(err)
	}
	if g, err = r.login(r.account(oauth.Settings{}), "wiki:admin"); err != nil || len(g.Scopes) != 4 {
		t.Errorf("another right takes those away that were there: %v, %v", g, err)
	}
	if err := r.call(server, "read_page"); err != nil {
		t.Error(err)
	}
}

// The scopes that a server requests become part of a command that people copy.
func TestScopesOfStrangersAreQuoted(t *testing.T) {
	t.Parallel()
	a := oauth.New(
		upstream.Spec{Name: "wiki", URL: "https://wiki.example/mcp"},
		oauth.Settings{},
		oauth.OpenStore(t.TempDir()+"/g", noRing{}),
	)
	for header, want := range map[string]string{
		`Bearer error="insufficient_scope", scope="a:b c/d"`:              "mcpproxy upstream login wiki --scope a:b --scope c/d",
		`Bearer error="insufficient_scope", scope="$(id) ';reboot"`:       `mcpproxy upstream login wiki --scope '$(id)' --scope ''\'';reboot'`,
		"Bearer error=\"insufficient_scope\", scope=\"\x1b[2J\u202e ok\"": "mcpproxy upstream login wiki --scope ok",
		`Bearer error="insufficient_scope"`:                               "mcpproxy upstream login wiki --scope SCOPE",
		`Bearer error="other", scope="a"`:                                 "",
		`Basic realm="x"`:                                                 "",
	} {
		if got := command(a.Lacks(http.Header{"Www-Authenticate": {header}})); got != want {
			t.Errorf("%q: %q, want %q", header, got, want)
		}
	}
}

// A grant is used only for the server and the client that it was issued for.
func TestAGrantOfAnotherAccountIsNotUsed(t *testing.T) {
	t.Parallel()
	r := newRig(t, oauthtest.Behaviour{})
	registered, configured := r.loggedIn(oauth.Settings{}), oauth.Settings{ClientID: "public"}
	if _, err := registered.Bearer(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := func(change func(*upstream.Spec), s oauth.Settings) error {
		spec := r.spec
		change(&spec)
		_, err := oauth.New(spec, s, r.store).Bearer(t.Context())
		return err
	}
	same := func(*upstream.Spec) {}
	for name, err := range map[string]error{
		"another server":     other(func(s *upstream.Spec) { s.Name = "other" }, oauth.Settings{}),
		"another address":    other(func(s *upstream.Spec) { s.URL = strings.Replace(s.URL, "127.0.0.1", "localhost", 1) }, oauth.Settings{}),
		"another path":       other(func(s *upstream.Spec) { s.URL += "/x" }, oauth.Settings{}),
		"another issuer":     other(same, oauth.Settings{Issuer: "https://other.example"}),
		"a client of ours":   other(same, configured),
		"the same in effect": other(same, oauth.Settings{Issuer: r.Issuer + "/"}),
	} {
		if wanted := name != "the same in effect"; (command(err) != "") != wanted {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := r.login(r.account(configured)); err != nil {
		t.Fatal(err)
	}
	if err := other(same, oauth.Settings{}); command(err) == "" {
		t.Errorf("the grant of a configured client without it: %v", err)
	}
}

// The command line logs in or out during a renewal by the daemon.
func TestALoginAndARenewalAtTheSameTime(t *testing.T) {
	t.Parallel()
	renewing := func(t *testing.T) (*rig, *oauth.Account, chan error) {
		r := newRig(t, oauthtest.Behaviour{})
		a := r.loggedIn(oauth.Settings{})
		r.set(oauthtest.Behaviour{Hold: true})
		r.later(2 * time.Hour)
		got := make(chan error, 1)
		go func() {
			_, err := a.Bearer(t.Context())
			got <- err
		}()
		eventually.True(t, "the renewal is at the authorization server", func() bool { return r.log().Asked == 1 })
		return r, a, got
	}
	t.Run("a login wins", func(t *testing.T) {
		t.Parallel()
		r, a, got := renewing(t)
		command := r.account(oauth.Settings{})
		g, err := r.login(command)
		if err != nil {
			t.Fatal(err)
		}
		r.set(oauthtest.Behaviour{})
		if err := <-got; err != nil {
			t.Fatal(err)
		}
		r.later(0)
		a.Reload()
		for name, account := range map[string]*oauth.Account{"the daemon's": a, "the command's": command, "another's": r.account(oauth.Settings{})} {
			if token, err := account.Bearer(t.Context()); err != nil || token != g.Secrets.Access {
				t.Errorf("%s token is not that of the login, %v", name, err)
			}
		}
		if l := r.log(); l.Reused != 0 || l.Renewed != 1 || l.Revoked != 2 {
			t.Errorf("what came too late was not revoked: %+v", l)
		}
	})
	t.Run("a logout wins", func(t *testing.T) {
		t.Parallel()
		r, a, got := renewing(t)
		if _, err := r.store.Remove(t.Context(), "wiki"); err != nil {
			t.Fatal(err)
		}
		r.set(oauthtest.Behaviour{})
		if err := <-got; command(err) == "" {
			t.Fatalf("got %v", err)
		}
		if _, err := a.Bearer(t.Context()); command(err) == "" {
			t.Errorf("then %v", err)
		}
		if l := r.log(); l.Renewed != 1 || l.Revoked != 2 {
			t.Errorf("what nobody has any more was not revoked: %+v", l)
		}
	})
	t.Run("another process has renewed", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, oauthtest.Behaviour{})
		one := r.loggedIn(oauth.Settings{})
		two := r.account(oauth.Settings{})
		if _, err := two.Bearer(t.Context()); err != nil { // both have read the first token
			t.Fatal(err)
		}
		r.later(2 * time.Hour)
		a, err := one.Bearer(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b, err := two.Bearer(t.Context())
		if err != nil || a != b {
			t.Errorf("the second has another token, %v", err)
		}
		if l := r.log(); l.Renewed != 1 || l.Reused != 0 {
			t.Errorf("the servers saw %+v", l)
		}
	})
}
