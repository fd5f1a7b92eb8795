package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"mcpproxy/internal/auth"
	"mcpproxy/internal/auth/oidc"
)

const (
	// outageGrace is how long people stay logged in while the identity provider does not answer, after it should have
	// been asked again.
	outageGrace  = time.Hour
	recheckRetry = time.Minute // between two attempts while the provider does not answer
	recheckTime  = 30 * time.Second
	maxLogout    = 64 << 10 // bytes of a request with a logout token
)

// account is the login of a person with an account of the identity provider. It belongs to one login code and then
// to one session.
type account struct {
	auth  *auth.Authenticator
	login *auth.PageLogin

	mu      sync.Mutex
	done    oidc.Login
	checked time.Time // when the provider last confirmed the login
	asked   bool      // whether the provider can be asked again
}

func newAccount(a *auth.Authenticator, login *auth.PageLogin, done oidc.Login, now time.Time) *account {
	return &account{
		auth:    a,
		login:   login,
		done:    done,
		checked: now,
		asked:   login.Recheck > 0,
	}
}

func (a *account) idToken() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.done.IDToken
}

// stale reports whether the provider should have confirmed the login and has not answered for too long. A nil account
// is never stale.
func (a *account) stale(now time.Time) bool {
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.asked && now.Sub(a.checked) > a.login.Recheck+outageGrace
}

// endedBy reports whether a logout of the provider ends the login.
func (a *account) endedBy(login *auth.PageLogin, out oidc.Logout) bool {
	if a == nil || a.login != login {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return out.Ends(a.done)
}

// recheck asks the provider whether the person of a session may still use the page with the same rights. It returns
// when to ask again, zero for never, or the reason why the session must end. It must not run twice at the same time.
func (a *account) recheck(
	ctx context.Context,
	was auth.Identity,
	now func() time.Time,
) (next time.Duration, why error) {
	a.mu.Lock()
	done := a.done
	a.mu.Unlock()
	renewed, err := a.login.Client.Renew(ctx, done)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done = renewed // after an outage too: it may hold a new refresh token
	_, down := errors.AsType[*oidc.Outage](err)
	switch {
	case errors.Is(err, oidc.ErrNotRenewable):
		a.asked = false
		return 0, nil
	case down && now().Sub(a.checked) <= a.login.Recheck+outageGrace:
		return min(recheckRetry, a.login.Recheck), nil
	case err != nil:
		return 0, err
	}
	id, refusal := a.login.Admit(a.auth, renewed.Person)
	if refusal != nil {
		return 0, errors.New(refusal.Message)
	}
	if id.Principal != was.Principal || id.Role != was.Role {
		return 0, errors.New("the person's name or rights have changed: the person must log in again")
	}
	a.checked = now()
	return a.login.Recheck, nil
}

// watch asks the provider at intervals about the person of a session, and ends the session if the person may not use
// the page any more.
func (p *pages) watch(hash [32]byte, s *pageSession) {
	var again func(time.Duration)
	again = func(after time.Duration) {
		timer := time.AfterFunc(after, func() {
			ctx, cancel := context.WithTimeout(s.over, recheckTime)
			defer cancel()
			next, why := s.who.account.recheck(ctx, s.who.id, p.now)
			switch {
			case s.over.Err() != nil:
			case why != nil:
				slog.Warn("a person's session of the page has ended", "person", s.who.id.Principal, "reason", why)
				p.drop(hash, s)
			case next > 0:
				again(next)
			}
		})
		context.AfterFunc(s.over, func() { timer.Stop() })
	}
	if s.who.account.login.Recheck > 0 {
		again(s.who.account.login.Recheck)
	}
}

// drop ends a session if it is still open.
func (p *pages) drop(hash [32]byte, s *pageSession) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.end()
	if p.sessions[hash] == s {
		delete(p.sessions, hash)
	}
}

// signOut is POST /ui/logout: OpenID Connect Back-Channel Logout. The identity provider sends a logout token, and the
// sessions that it names end. The standard demands status 400 for every logout that fails.
func (s *server) signOut(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	ended, err := s.endSessions(r)
	if err == nil {
		slog.Info("the identity provider has logged a person out", "sessions", ended)
		w.WriteHeader(http.StatusOK)
		return
	}
	slog.Warn("a logout by the identity provider has failed", "error", err)
	code := "invalid_request"
	if _, down := errors.AsType[*oidc.Outage](err); down {
		code = "temporarily_unavailable"
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	// fails if the client has disconnected
	_ = json.NewEncoder(w).Encode(map[string]string{"error": code, "error_description": err.Error()})
}

// endSessions ends the sessions that the logout token in a request names, and returns how many there were.
func (s *server) endSessions(r *http.Request) (ended int, err error) {
	login := s.Auth.PageLogin()
	if login == nil {
		return 0, errors.New("nobody can log in with an account of an identity provider here")
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxLogout))
	if err != nil {
		return 0, errors.New("the request is too long or was cut off")
	}
	form, err := url.ParseQuery(string(body))
	if err != nil || len(form["logout_token"]) != 1 {
		return 0, errors.New("the request needs one logout_token, as a form")
	}
	select {
	case s.signingIn <- struct{}{}:
		defer func() { <-s.signingIn }()
	case <-r.Context().Done():
		return 0, r.Context().Err()
	}
	out, err := login.Client.Logout(r.Context(), form.Get("logout_token"))
	if err != nil {
		return 0, err
	}
	return s.pages.endAll(func(g grant) bool { return g.account.endedBy(login, out) }), nil
}

// endAll ends the sessions and drops the unused codes whose grants are ended. It returns how many there were.
func (p *pages) endAll(ended func(grant) bool) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for hash, s := range p.sessions {
		if ended(s.who) {
			s.end()
			delete(p.sessions, hash)
			n++
		}
	}
	for hash, g := range p.codes {
		if ended(g) {
			delete(p.codes, hash)
			n++
		}
	}
	return n
}
