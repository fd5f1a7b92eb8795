package oauth_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcpproxy/internal/keyring"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/upstream/oauth"
	"mcpproxy/internal/upstream/oauth/oauthtest"
	"mcpproxy/internal/wire"
)

// logged collects the log of all tests.
var logged safeBuffer

type safeBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

func TestMain(m *testing.M) {
	oauthtest.Main()
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	code := m.Run()
	err := goleak.Find(
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"),
	)
	if err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, "goroutines are left:", err)
		code = 1
	}
	os.Exit(code)
}

// patience is how long a test waits for an event that should occur at once.
const patience = 20 * time.Second

// rig is an authorization server with an MCP server behind it, and a store.
type rig struct {
	*oauthtest.Process
	t     *testing.T
	store *oauth.Store
	spec  upstream.Spec
	ahead atomic.Int64 // of the accounts' clock
}

func newRig(t *testing.T, b oauthtest.Behaviour) *rig {
	t.Helper()
	p, err := oauthtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	r := &rig{
		Process: p,
		t:       t,
		store:   oauth.OpenStore(filepath.Join(t.TempDir(), "oauth", "grants.json"), noRing{}),
		spec: upstream.Spec{
			Name:     "wiki",
			Enabled:  true,
			Protocol: upstream.HTTP,
			URL:      p.MCP,
			Timeout:  patience,
		},
	}
	r.set(b)
	t.Cleanup(r.nothingSeen)
	return r
}

func (r *rig) set(b oauthtest.Behaviour) {
	r.t.Helper()
	if err := r.Set(b); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) log() oauthtest.Log {
	r.t.Helper()
	l, err := r.Log()
	if err != nil {
		r.t.Fatal(err)
	}
	return l
}

// nothingSeen checks that no secret is in the log.
func (r *rig) nothingSeen() {
	if r.t.Failed() {
		return
	}
	r.hides(logged.String())
}

// hides checks that text contains no secret of the servers.
func (r *rig) hides(text string) {
	r.t.Helper()
	l, err := r.Log()
	if err != nil {
		return // the process has ended already
	}
	for _, secret := range l.Secrets {
		if strings.Contains(text, secret) {
			r.t.Errorf("a secret is seen in:\n%s", text)
		}
	}
}

func (r *rig) account(s oauth.Settings) *oauth.Account {
	a := oauth.New(r.spec, s, r.store)
	a.SetClock(func() time.Time { return time.Now().Add(time.Duration(r.ahead.Load())) })
	return a
}

// later moves the accounts' clock forward.
func (r *rig) later(d time.Duration) { r.ahead.Store(int64(d)) }

// login logs in with a browser that follows every redirect.
func (r *rig) login(a *oauth.Account, scopes ...string) (*oauth.Grant, error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	var browser sync.WaitGroup
	defer browser.Wait()
	return a.Login(ctx, oauth.LoginOptions{Scopes: scopes, Show: func(_, address string) {
		browser.Go(func() { _, _, _ = oauthtest.Browse(address) })
	}})
}

// loggedIn returns an account after a login.
func (r *rig) loggedIn(s oauth.Settings) *oauth.Account {
	r.t.Helper()
	a := r.account(s)
	if _, err := r.login(a); err != nil {
		r.t.Fatal(err)
	}
	return a
}

// connect connects to the MCP server with an account.
func (r *rig) connect(a *oauth.Account) (*upstream.Server, *upstream.Manager) {
	r.t.Helper()
	m := upstream.NewManager(func(*upstream.Server) {}, func(*upstream.Server, *wire.Message) {})
	spec := r.spec
	spec.Credentials = a
	m.Apply([]upstream.Spec{spec})
	r.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		m.Close(ctx)
	})
	s, _ := m.Get("wiki")
	return s, m
}

// call calls a tool of the wiki.
func (r *rig) call(s *upstream.Server, tool string) error {
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	link, err := s.Shared(ctx)
	if err != nil {
		return err
	}
	resp, err := link.Call(
		ctx,
		wire.NewRequest([]byte("1"), "tools/call", []byte(`{"name":`+string(wire.Quote(tool))+`,"arguments":{}}`)),
		upstream.CallOptions{},
	)
	if err == nil && !strings.Contains(string(resp.Result), tool+" is done") {
		err = fmt.Errorf("the answer is %s %s", resp.Result, resp.Error)
	}
	return err
}

// command returns the command that an error tells the user to run, or "".
func command(err error) string {
	if e, ok := errors.AsType[*upstream.LoginError](err); ok {
		return e.Command
	}
	return ""
}

// noRing is a machine without a keyring.
type noRing struct{}

var errNoRing = errors.New("there is no keyring")

func (noRing) Get(string) (string, error) { return "", errNoRing }
func (noRing) Set(string, string) error   { return errNoRing }
func (noRing) Delete(string) error        { return errNoRing }

// ring is a keyring in memory.
type ring struct {
	mu   sync.Mutex
	kept map[string]string
}

func (r *ring) Get(name string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.kept[name]; ok {
		return s, nil
	}
	return "", keyring.ErrNotFound
}

func (r *ring) Set(name, secret string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept[name] = secret
	return nil
}

func (r *ring) Delete(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.kept, name)
	return nil
}
