package oauth_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/upstream/oauth"
	"mcpproxy/internal/upstream/oauth/oauthtest"
)

// outages are the ways in which an authorization server fails without refusing anything.
var outages = map[string]oauthtest.Behaviour{
	"it answers with 503":                          {RefreshStatus: 503},
	"it answers with 500 and says invalid_grant":   {RefreshStatus: 500, RefreshError: "invalid_grant"},
	"it answers with 429 and says invalid_request": {RefreshStatus: 429, RefreshError: "invalid_request"},
	"it answers with 200 and a page":               {RefreshStatus: 200},
	"it does not answer":                           {Hold: true},
}

func TestAnOutageOfTheAuthorizationServerIsNoFaultOfTheServer(t *testing.T) {
	t.Parallel()
	for name, outage := range outages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, oauthtest.Behaviour{})
			r.spec.Timeout = 2 * time.Second
			a := r.loggedIn(oauth.Settings{})
			server, manager := r.connect(a)
			if err := r.call(server, "read_page"); err != nil {
				t.Fatal(err)
			}
			r.set(outage)
			r.later(2 * time.Hour)
			fails := func() {
				t.Helper()
				err := r.call(server, "read_page")
				said := mcpproxy.AgentMessage(err)
				if mcpproxy.CodeOf(err) != mcpproxy.CodeUpstream || command(err) != "" ||
					!strings.Contains(said, "the authorization server 127.0.0.1 did not renew the token") ||
					!strings.Contains(err.Error(), r.Issuer) {
					t.Fatalf("the agent reads %q, the operator %v", said, err)
				}
				r.hides(err.Error())
			}
			calls := 5 // more failures than open a breaker
			if outage.Hold {
				calls = 1
			}
			for range calls {
				fails()
			}
			manager.Reopen("wiki")
			fails()
			if st := server.Status(); st.Faults != 0 || st.Breaker != upstream.Closed || st.Login != "" {
				t.Errorf("the server is blamed: %+v", st)
			}
			r.set(oauthtest.Behaviour{})
			eventually.Succeeds(t, "a call after the outage", func() error {
				err := r.call(server, "read_page")
				if command(err) != "" {
					t.Fatalf("after the outage: %v", err)
				}
				r.later(2*time.Hour + time.Minute)
				return err
			})
			if l := r.log(); l.Reused != 0 || l.Authorized != 1 {
				t.Errorf("the authorization server saw %+v", l)
			}
		})
	}
}

func TestATokenThatHasNotExpiredIsUsedWhileTheAuthorizationServerDoesNotAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t, oauthtest.Behaviour{})
	a := r.loggedIn(oauth.Settings{})
	first, err := a.Bearer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.set(oauthtest.Behaviour{Hold: true})
	r.later(59*time.Minute + 30*time.Second)
	ctx, cancel := context.WithTimeout(t.Context(), patience/2)
	defer cancel()
	if token, err := a.Bearer(ctx); err != nil || token != first || ctx.Err() != nil {
		t.Errorf("got another token, or late, or %v", err)
	}
	r.set(oauthtest.Behaviour{})
	eventually.True(t, "the renewal ends", func() bool { return r.log().Renewed == 1 })
}

// brittle is a keyring that can be locked.
type brittle struct {
	ring
	lock   sync.Mutex
	locked bool
}

func (b *brittle) Set(name, secret string) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.locked {
		return errors.New("the keyring is locked")
	}
	return b.ring.Set(name, secret)
}

func (b *brittle) setLocked(locked bool) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.locked = locked
}

// obstruct makes every change of a store fail until clear is called. It does not use permissions, which would not stop
// root.
func obstruct(t *testing.T, s *oauth.Store) (clear func()) {
	t.Helper()
	lock := s.Path() + ".lock"
	if err := errors.Join(os.Rename(lock, lock+".away"), os.Mkdir(lock, 0o700)); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := os.Remove(lock); err != nil {
			t.Fatal(err)
		}
	}
}

func TestARenewedTokenThatCouldNotBeStoredIsStoredLater(t *testing.T) {
	t.Parallel()
	for name, keyring := range map[string]bool{"in the file": false, "in the keyring": true} {
		for end, atStop := range map[string]bool{"while it runs": false, "when it stops": true} {
			t.Run(name+", "+end, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, oauthtest.Behaviour{})
				var kept oauth.Keyring = noRing{}
				lockable := &brittle{ring: ring{kept: map[string]string{}}}
				if keyring {
					kept = lockable
				}
				r.store = oauth.OpenStore(r.store.Path(), kept)
				a := r.loggedIn(oauth.Settings{Place: oauth.Auto})
				lockable.setLocked(true)
				clear := func() { lockable.setLocked(false) }
				if !keyring {
					clear = obstruct(t, r.store)
				}
				for hours := range time.Duration(3) { // each renewal uses the refresh token of the previous one
					r.later((hours + 1) * 2 * time.Hour)
					if _, err := a.Bearer(t.Context()); err != nil {
						t.Fatalf("renewal %d: %v", hours, err)
					}
				}
				if _, err := r.account(oauth.Settings{}).Bearer(t.Context()); err != nil {
					t.Errorf("another account of this process: %v", err)
				}
				if !strings.Contains(logged.String(), "cannot store the renewed token") {
					t.Error("the log does not say so")
				}
				clear()
				want, err := a.Bearer(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if atStop {
					if err := r.store.Settle(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				eventually.True(t, "the token is stored", func() bool {
					g, err := oauth.OpenStore(r.store.Path(), kept).Find("wiki")
					return err == nil && g != nil && g.Secrets.Access == want
				})
				r.store = oauth.OpenStore(r.store.Path(), kept) // after a restart
				r.later(10 * time.Hour)
				if _, err := r.account(oauth.Settings{}).Bearer(t.Context()); err != nil {
					t.Errorf("after a restart: %v", err)
				}
				if l := r.log(); l.Renewed != 4 || l.Reused != 0 {
					t.Errorf("the authorization server saw %+v", l)
				}
			})
		}
	}
}

// A grant that could not be stored is dropped if somebody has logged in or out since.
func TestAnUnstoredGrantDoesNotReplaceANewerOne(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*testing.T, *rig, *oauth.Store){
		"after a logout here": func(t *testing.T, r *rig, _ *oauth.Store) {
			if was, err := r.store.Remove(t.Context(), "wiki"); err != nil || was.Serial != 1 {
				t.Errorf("removed %+v, %v", was, err)
			}
		},
		"after a logout by another process": func(t *testing.T, _ *rig, other *oauth.Store) {
			if _, err := other.Remove(t.Context(), "wiki"); err != nil {
				t.Error(err)
			}
		},
		"after a login by another process": func(t *testing.T, _ *rig, other *oauth.Store) {
			if err := other.Put(t.Context(), grant("new", 0), oauth.File); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, oauthtest.Behaviour{})
			other := oauth.OpenStore(r.store.Path(), noRing{})
			if err := r.store.Put(t.Context(), grant("old", 0), oauth.File); err != nil {
				t.Fatal(err)
			}
			clear := obstruct(t, r.store)
			if _, err := r.store.Swap(t.Context(), grant("old", 0), grant("old", 1)); err == nil {
				t.Fatal("it was stored")
			}
			clear()
			if g, err := r.store.Find("wiki"); err != nil || g.Serial != 1 {
				t.Fatalf("this process has lost it: %+v, %v", g, err)
			}
			change(t, r, other)
			want, err := other.Find("wiki")
			if err != nil {
				t.Fatal(err)
			}
			if err := r.store.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, s := range []*oauth.Store{r.store, other} {
				got, err := s.Find("wiki")
				if err != nil || (got == nil) != (want == nil) || got != nil && got.Login != want.Login {
					t.Errorf("the store holds %+v, want %+v, %v", got, want, err)
				}
			}
		})
	}
}

func TestProcessesThatRenewAtOnceUseTheRefreshTokenOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, oauthtest.Behaviour{})
	r.loggedIn(oauth.Settings{})
	var processes []*oauth.Account
	for range 4 {
		r.store = oauth.OpenStore(r.store.Path(), noRing{}) // because each process has its own
		a := r.account(oauth.Settings{})
		if _, err := a.Bearer(t.Context()); err != nil {
			t.Fatal(err)
		}
		processes = append(processes, a)
	}
	r.set(oauthtest.Behaviour{Slow: 300})
	r.later(2 * time.Hour)
	tokens := make([]string, len(processes))
	var all sync.WaitGroup
	for i, a := range processes {
		all.Go(func() {
			token, err := a.Bearer(t.Context())
			if tokens[i] = token; err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, token := range tokens {
		if token != tokens[0] {
			t.Error("the processes have different tokens")
		}
	}
	if l := r.log(); l.Renewed != 1 || l.Reused != 0 {
		t.Errorf("the authorization server saw %+v", l)
	}
}

func TestTheEndOfAProcessWaitsForARenewal(t *testing.T) {
	t.Parallel()
	r := newRig(t, oauthtest.Behaviour{})
	a := r.loggedIn(oauth.Settings{})
	r.set(oauthtest.Behaviour{Hold: true})
	r.later(2 * time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	called := make(chan struct{})
	go func() {
		defer close(called)
		_, _ = a.Bearer(ctx)
	}()
	eventually.True(t, "the renewal is at the authorization server", func() bool { return r.log().Asked == 1 })
	cancel() // no request waits for it any more
	<-called
	short, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if err := r.store.Settle(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a renewal that does not end: %v", err)
	}
	settled := make(chan error, 1)
	go func() { settled <- r.store.Settle(t.Context()) }()
	r.set(oauthtest.Behaviour{})
	if err := <-settled; err != nil {
		t.Fatal(err)
	}
	g, err := oauth.OpenStore(r.store.Path(), noRing{}).Find("wiki")
	if err != nil || g.Serial != 1 {
		t.Errorf("the next process finds %+v, %v", g, err)
	}
}
