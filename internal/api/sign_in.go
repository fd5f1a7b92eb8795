package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed"
	"encoding/json"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mcpproxy/internal/auth"
	"mcpproxy/internal/auth/oidc"
)

const (
	waysPath     = "/api/v1/login/ways"
	signInPath   = "/ui/login"      // begins (POST) and ends (GET) a login with an account
	signOutPath  = "/ui/logout"     // where the identity provider sends logout tokens
	attemptLife  = 10 * time.Minute // time for a login at the identity provider
	maxAttempts  = 4096             // concurrent logins
	maxOfAddress = 256              // concurrent logins from one address
	maxAtOnce    = 8                // concurrent requests to the provider
)

// attempt is an unfinished login with an account of the identity provider.
type attempt struct {
	oidc.Attempt
	login   *auth.PageLogin // settings that were in force when it began
	address string          // address from which it was started
	until   time.Time
}

// begin stores a login in progress and returns the cookie for its browser. At the limit it drops
// the oldest login from the same address, so that nobody can end other people's logins.
func (p *pages) begin(a oidc.Attempt, login *auth.PageLogin, address string) (cookie string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, same := p.now(), 0
	var oldest, oldestOfAddress [32]byte
	for hash, one := range p.attempts {
		if now.After(one.until) {
			delete(p.attempts, hash)
			continue
		}
		if o := p.attempts[oldest]; o == nil || one.until.Before(o.until) {
			oldest = hash
		}
		if one.address != address {
			continue
		}
		same++
		if o := p.attempts[oldestOfAddress]; o == nil || one.until.Before(o.until) {
			oldestOfAddress = hash
		}
	}
	if same >= maxOfAddress {
		delete(p.attempts, oldestOfAddress)
	} else if len(p.attempts) >= maxAttempts {
		delete(p.attempts, oldest)
	}
	cookie = rand.Text()
	p.attempts[sha256.Sum256([]byte(cookie))] = &attempt{
		Attempt: a,
		login:   login,
		address: address,
		until:   now.Add(attemptLife),
	}
	return cookie
}

// take removes and returns the login of a browser. It returns nil if no login has that state.
func (p *pages) take(cookie, state string) *attempt {
	p.mu.Lock()
	defer p.mu.Unlock()
	hash := sha256.Sum256([]byte(cookie))
	a := p.attempts[hash]
	if a == nil || subtle.ConstantTimeCompare([]byte(a.State), []byte(state)) == 0 {
		return nil // a wrong state must not end somebody else's login
	}
	delete(p.attempts, hash)
	if p.now().After(a.until) {
		return nil
	}
	return a
}

// SignInWays lists the ways to log in to the page besides a link and the key.
type SignInWays struct {
	Provider *SignInProvider `json:"provider,omitempty" doc:"The company's identity provider, where people can log in with it"`
}

// SignInProvider is the identity provider that people log in with.
type SignInProvider struct {
	Name string `json:"name" doc:"What people know it by"`
	Page string `json:"page" doc:"Address of the page at which the login begins"`
}

func (s *server) signInWays(context.Context, *struct{}) (*answer[SignInWays], error) {
	login := s.Auth.PageLogin()
	if login == nil {
		return success(SignInWays{})
	}
	return success(SignInWays{&SignInProvider{login.Name, login.URL + "/ui/"}})
}

// attemptCookie returns the name of the cookie that ties a login to its browser. With https, the prefix keeps
// other hosts of the same domain from setting it.
func (p *pages) attemptCookie(login *auth.PageLogin) string {
	if login.Secure() {
		return "__Host-" + p.cookie + "_login"
	}
	return p.cookie + "_login"
}

// signIn serves the first and the last request of a login with an account: POST begins the login, and GET is the
// return from the identity provider.
func (s *server) signIn(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	switch login := s.Auth.PageLogin(); {
	case login == nil:
		s.showLoginFailure(w, http.StatusNotFound, loginFailure{
			Why:  "mcpproxy is not set up for logins with an account of an identity provider.",
			Help: "Ask the administrator of mcpproxy to set auth.oidc.page in the configuration.",
		})
	case r.Method == http.MethodPost:
		s.beginSignIn(w, r, login)
	case r.Method == http.MethodGet:
		s.endSignIn(w, r)
	default:
		w.Header().Set("Allow", "GET, POST")
		fail(w, http.StatusMethodNotAllowed, "a login begins with POST")
	}
}

// beginSignIn is POST /ui/login, which only the page itself can send. It answers with the
// provider's address, to which the page redirects.
func (s *server) beginSignIn(w http.ResponseWriter, r *http.Request, login *auth.PageLogin) {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" ||
		!sameAddress(r.Header.Get("Origin"), login.URL) {
		fail(w, http.StatusForbidden, "log in at "+login.URL+"/ui/: the identity provider redirects browsers only to this address")
		return
	}
	address, a, err := login.Client.Begin(r.Context())
	if err != nil {
		slog.Warn("a login to the page with an account has failed", "error", err)
		fail(w, http.StatusServiceUnavailable, unreachable+" "+askAboutProvider)
		return
	}
	// Lax: the browser returns from the provider by a link and would not send a strict cookie.
	http.SetCookie(w, &http.Cookie{
		Name:     s.pages.attemptCookie(login),
		Value:    s.pages.begin(a, login, auth.AddressOf(r)),
		Path:     "/",
		MaxAge:   int((attemptLife + codeLife) / time.Second),
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
		Secure:   login.Secure(),
	})
	w.Header().Set("Content-Type", "application/json")
	began := envelope[map[string]string]{true, map[string]string{"url": address}}
	_ = json.NewEncoder(w).Encode(began) // fails if the client has disconnected
}

// sameAddress reports whether two addresses have the same scheme, host and port.
func sameAddress(a, b string) bool {
	x, err := url.Parse(a)
	y, also := url.Parse(b)
	if err != nil || also != nil || x.Host == "" || x.Scheme != y.Scheme ||
		!strings.EqualFold(x.Hostname(), y.Hostname()) {
		return false
	}
	port := func(u *url.URL) string {
		switch {
		case u.Port() != "":
			return u.Port()
		case u.Scheme == "https":
			return "443"
		}
		return "80"
	}
	return port(x) == port(y)
}

// Messages about a failed login.
const (
	notBegun         = "This login was not started in this browser, was used already, or is older than ten minutes."
	notBegunHelp     = "Start again, and use one window at a time."
	unreachable      = "The identity provider cannot be asked now."
	askAboutProvider = "Try again later. If it stays so, ask the administrator of mcpproxy to run mcpproxy doctor."
	askForGroup      = "Ask the administrator of mcpproxy to add one of your groups to auth.oidc.page.owners, or to " +
		"auth.oidc.page.auditors for reading alone. If a group of yours stands there, the provider does not send it: it must " +
		"put the person's groups into the ID token of this client, in the claim that auth.oidc.claims.groups names."
)

// endSignIn is GET /ui/login, to which the provider redirects the browser. If the person may use
// the page, it redirects to the page with a code that only the same browser can use.
func (s *server) endSignIn(w http.ResponseWriter, r *http.Request) {
	login := s.Auth.PageLogin()
	query, err := queryOf(r.URL.RawQuery)
	if err != nil || login == nil {
		s.showLoginFailure(w, http.StatusBadRequest, loginFailure{Why: "The identity provider's answer cannot be read.", Help: notBegunHelp})
		return
	}
	cookie, err := r.Cookie(s.pages.attemptCookie(login))
	if err != nil {
		s.showLoginFailure(w, http.StatusBadRequest, loginFailure{Why: notBegun, Help: notBegunHelp})
		return
	}
	a := s.pages.take(cookie.Value, query.Get("state"))
	if a == nil || a.login != login {
		s.showLoginFailure(w, http.StatusBadRequest, loginFailure{Why: notBegun, Help: notBegunHelp})
		return
	}
	select {
	case s.signingIn <- struct{}{}:
		defer func() { <-s.signingIn }()
	case <-r.Context().Done():
		return
	}
	done, err := login.Client.Finish(r.Context(), a.Attempt, query)
	if err != nil {
		slog.Warn("a login to the page with an account has failed", "error", err)
		s.showLoginFailure(w, http.StatusForbidden, loginFailureOf(err))
		return
	}
	id, refusal := login.Admit(s.Auth, done.Person)
	if refusal != nil {
		s.Auth.Refused(r, refusal)
		s.showLoginFailure(w, refusal.Status, loginFailure{
			Why:    "You may not use this page: " + refusal.Message + ".",
			Help:   askForGroup,
			Person: done.Name,
			Groups: done.Groups[:min(len(done.Groups), 50)],
		})
		return
	}
	code, _ := s.pages.codeFor(grant{
		id:      id,
		account: newAccount(s.Auth, login, done, s.pages.now()),
		cookie:  cookie.Name,
		browser: sha256.Sum256([]byte(cookie.Value)),
	})
	http.Redirect(w, r, "/ui/#login="+code, http.StatusSeeOther)
}

// loginFailureOf returns the message for an error of [oidc.Client.Finish].
func loginFailureOf(err error) loginFailure {
	if refused, ok := errors.AsType[*oidc.Refused](err); ok {
		return loginFailure{
			Why: "The identity provider has refused the login (" + refused.Code + ").",
			Help: "Log in there with another account, or ask the administrator of the identity provider whether you may use " +
				"mcpproxy, and whether its client is set up as docs/single-sign-on.md says.",
		}
	}
	if _, down := errors.AsType[*oidc.Outage](err); down {
		return loginFailure{Why: unreachable, Help: askAboutProvider}
	}
	return loginFailure{
		Why: "The identity provider's answer is not valid: " + err.Error() + ".",
		Help: "Start again. If it happens again, show this to the administrator of mcpproxy, who finds the reasons in " +
			"docs/single-sign-on.md.",
	}
}

// loginFailure is the message about a failed login.
type loginFailure struct {
	Why, Help string
	Person    string
	Groups    []string
}

//go:embed sign_in.html
var failedLoginPage string

var failedLoginTemplate = template.Must(template.New("").Parse(failedLoginPage))

// showLoginFailure answers with a page that says why a login has failed and what to do.
func (s *server) showLoginFailure(w http.ResponseWriter, status int, what loginFailure) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	_ = failedLoginTemplate.Execute(w, what) // fails if the client has disconnected
}
