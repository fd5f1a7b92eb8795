package api

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/auth"
	"mcpproxy/internal/auth/oidc"
	"mcpproxy/internal/auth/oidc/oidctest"
)

func TestCodesAndSessionsEndByThemselves(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	p := newPages("127.0.0.1:8080")
	p.now = func() time.Time { return now }
	code, _ := p.code()
	now = now.Add(codeLife + time.Second)
	anywhere := httptest.NewRequest(http.MethodPost, exchangePath, nil)
	if _, ok := p.redeem(code, anywhere); ok {
		t.Error("a code is taken after its time")
	}
	cookie, half := p.open(grant{})
	reaches := func() bool {
		r := httptest.NewRequest(http.MethodGet, "/api/v1/status", nil)
		r.AddCookie(&http.Cookie{Name: p.cookie, Value: cookie})
		r.Header.Set(pageHeader, half)
		in, refusal := p.admit(r)
		return in != nil && refusal == nil
	}
	for range 3 { // each use keeps it open
		now = now.Add(pageIdle - time.Minute)
		if !reaches() {
			t.Fatal("a session that is used ends")
		}
	}
	now = now.Add(pageIdle + time.Minute)
	if reaches() {
		t.Error("a session outlives its idle time")
	}
}

func TestCodesAndSessionsAreBounded(t *testing.T) {
	p := newPages("127.0.0.1:8080")
	now := time.Now()
	p.now = func() time.Time { now = now.Add(time.Millisecond); return now }
	first, _ := p.code()
	cookie, _ := p.open(grant{})
	for range maxOpen + 1 {
		p.code()
		p.open(grant{})
	}
	if len(p.codes) > maxCodes || len(p.sessions) > maxOpen {
		t.Errorf("%d codes, %d sessions", len(p.codes), len(p.sessions))
	}
	if _, ok := p.redeem(first, httptest.NewRequest(http.MethodPost, exchangePath, nil)); ok {
		t.Error("it is not the oldest code that goes")
	}
	if _, ok := p.close(cookie); ok {
		t.Error("it is not the oldest session that goes")
	}
}

func TestThePersonOfALoginIsAdmittedNoLongerThanTheLoginCounts(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	p := newPages("127.0.0.1:8080")
	p.now = func() time.Time { return now }
	cookie, half := p.open(grant{id: auth.Identity{Principal: "oidc/ann", Expires: now.Add(pageIdle)}})
	r := httptest.NewRequest(http.MethodGet, "/api/v1/status", nil)
	r.AddCookie(&http.Cookie{Name: p.cookie, Value: cookie})
	r.Header.Set(pageHeader, half)
	for range 2 {
		now = now.Add(pageIdle/2 - time.Minute)
		if in, refusal := p.admit(r); refusal != nil || in.id.Principal != "oidc/ann" {
			t.Fatalf("%+v, %+v", in, refusal)
		}
	}
	over := p.sessions[sha256.Sum256([]byte(cookie))].over
	now = now.Add(3 * time.Minute)
	if _, refusal := p.admit(r); refusal == nil || over.Err() == nil {
		t.Error("a session that is used outlives the login")
	}
}

// While the provider does not answer, nobody is logged out at once, and nobody stays logged in forever.
func TestAnOutageOfTheProviderEndsNoSessionAtOnce(t *testing.T) {
	remote := oidctest.New(t)
	remote.Down(true)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	p := newPages("127.0.0.1:8080")
	p.now = func() time.Time { return now }
	login := &auth.PageLogin{
		Client:  oidc.NewClient(oidc.Settings{Issuer: remote.Issuer}, oidc.ClientSettings{ID: oidctest.ClientID}),
		Recheck: 15 * time.Minute,
	}
	a := newAccount(auth.New(func() string { return "key" }, nil), login, oidc.Login{}, now)
	cookie, _ := p.open(grant{account: a})
	for range 5 {
		now = now.Add(15 * time.Minute)
		if next, why := a.recheck(t.Context(), auth.Identity{}, p.now); next != recheckRetry || why != nil {
			t.Fatalf("after %s without the provider: %s, %v", now.Sub(a.checked), next, why)
		}
	}
	over := p.sessions[sha256.Sum256([]byte(cookie))].over
	if p.sweep(); over.Err() != nil {
		t.Errorf("a session ends %s after the provider confirmed it", now.Sub(a.checked))
	}
	now = now.Add(time.Second)
	if _, why := a.recheck(t.Context(), auth.Identity{}, p.now); why == nil {
		t.Error("a session goes on without its provider")
	}
	if p.sweep(); over.Err() == nil {
		t.Error("a session that the provider has not confirmed for too long is admitted")
	}
}

// Logins from one address do not end logins from another. If there are too many from one address, its oldest is
// dropped.
func TestLoginsUnderWayAreBoundedByAddress(t *testing.T) {
	now := time.Now()
	p := newPages("127.0.0.1:8080")
	p.now = func() time.Time { now = now.Add(time.Microsecond); return now }
	begun := func(address string) (cookie, state string) {
		state = rand.Text()
		return p.begin(oidc.Attempt{State: state}, nil, address), state
	}
	cookie, state := begun("10.0.0.1")
	oldest, itsState := begun("10.0.0.2")
	for range maxOfAddress {
		begun("10.0.0.2")
	}
	if len(p.attempts) != maxOfAddress+1 {
		t.Errorf("%d logins are under way", len(p.attempts))
	}
	if p.take(oldest, itsState) != nil {
		t.Error("it is not the oldest of its address that goes")
	}
	if p.take(cookie, "x") != nil || p.take(cookie, state) == nil || p.take(cookie, state) != nil {
		t.Error("the login of another address cannot be ended once, by its state alone")
	}
	cookie, state = begun("10.0.0.1")
	now = now.Add(attemptLife)
	if p.take(cookie, state) != nil {
		t.Error("a login is ended after its time")
	}
	for i := range maxAttempts + 10 {
		begun("10.1." + strconv.Itoa(i/maxOfAddress) + ".1")
	}
	if len(p.attempts) > maxAttempts {
		t.Errorf("%d logins are under way", len(p.attempts))
	}
}

func TestWithHTTPSNoOtherHostCanSetTheCookieOfALogin(t *testing.T) {
	s := &server{pages: newPages("127.0.0.1:8080"), Sources: Sources{Auth: auth.New(func() string { return "key" }, nil)}}
	remote := oidctest.New(t)
	login := &auth.PageLogin{
		Client: oidc.NewClient(oidc.Settings{Issuer: remote.Issuer}, oidc.ClientSettings{ID: oidctest.ClientID}),
		URL:    "https://mcp.acme.example",
	}
	s.Auth.UseFederation(&auth.Federation{Page: login})
	r := httptest.NewRequest(http.MethodPost, signInPath, nil)
	r.Header.Set("Origin", "https://mcp.acme.example:443")
	w := httptest.NewRecorder()
	s.signIn(w, r)
	set := w.Header().Get("Set-Cookie")
	if w.Code != http.StatusOK || !strings.HasPrefix(set, "__Host-mcpproxy_8080_login=") || !strings.Contains(set, "Secure") {
		t.Errorf("%d, the cookie is %s", w.Code, set)
	}
}

func TestTheLinkHasAnAddressThatThisMachineCanReach(t *testing.T) {
	for listen, want := range map[string]string{
		"127.0.0.1:8080": "127.0.0.1:8080",
		"0.0.0.0:80":     "127.0.0.1:80",
		"[::]:80":        "127.0.0.1:80",
		":80":            "127.0.0.1:80",
		"10.0.0.1:80":    "10.0.0.1:80",
		"box:80":         "box:80",
	} {
		if got := reachable(listen); got != want {
			t.Errorf("%s: %s", listen, got)
		}
	}
}
