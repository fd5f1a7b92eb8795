package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"mcpproxy/internal/auth"
)

const (
	codeLife   = 2 * time.Minute // of a login code
	pageIdle   = 12 * time.Hour  // time until an unused session ends
	maxCodes   = 16              // unused codes; beyond it the oldest is dropped
	maxOpen    = 256             // sessions; beyond it the one unused longest is ended
	endedLogin = "the page's session has ended: run `mcpproxy open`, or log in with the API key or your account"
)

// pages holds the logins of the page: unused codes and open sessions. They end with the daemon.
// Secrets are stored as hashes.
type pages struct {
	cookie string // name of the cookie; contains the port, because cookies are shared by all ports
	now    func() time.Time

	mu       sync.Mutex
	codes    map[[32]byte]grant
	sessions map[[32]byte]*pageSession
	attempts map[[32]byte]*attempt // by hash of the browser's cookie
}

// grant is what a login code allows: a session of the page for one person.
type grant struct {
	until   time.Time
	id      auth.Identity
	account *account // login with an account of the identity provider, or nil
	cookie  string   // name of the cookie that the browser needs to use the code; "" if none is needed
	browser [32]byte // hash of that cookie's value
}

// pageSession is one open session.
type pageSession struct {
	half [32]byte // hash of the secret in pageHeader
	who  grant    // the grant that opened it
	used time.Time
	over context.Context // ends with the session
	end  context.CancelFunc
}

func newPages(listen string) *pages {
	_, port, _ := net.SplitHostPort(listen)
	return &pages{
		cookie:   "mcpproxy_" + port,
		now:      time.Now,
		codes:    map[[32]byte]grant{},
		sessions: map[[32]byte]*pageSession{},
		attempts: map[[32]byte]*attempt{},
	}
}

// code creates a login code for the owner.
func (p *pages) code() (string, time.Time) {
	return p.codeFor(grant{id: auth.Identity{Principal: auth.Owner}})
}

// codeFor creates a login code. At the limit it drops the oldest code of the same kind, so that
// people who log in with an account cannot drop the owner's codes.
func (p *pages) codeFor(g grant) (string, time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	var oldest [32]byte
	same := 0
	for hash, one := range p.codes {
		if now.After(one.until) {
			delete(p.codes, hash)
			continue
		}
		if one.id.IsPerson() != g.id.IsPerson() {
			continue
		}
		same++
		if t, ok := p.codes[oldest]; !ok || one.until.Before(t.until) {
			oldest = hash
		}
	}
	if same >= maxCodes {
		delete(p.codes, oldest)
	}
	g.until = now.Add(codeLife)
	code := rand.Text()
	p.codes[sha256.Sum256([]byte(code))] = g
	return code, g.until
}

// redeem uses up a code and returns its grant. If another browser than the code's own sends it,
// redeem fails and the code stays valid.
func (p *pages) redeem(code string, r *http.Request) (g grant, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	hash := sha256.Sum256([]byte(code))
	g, ok = p.codes[hash]
	if ok && g.cookie != "" {
		c, err := r.Cookie(g.cookie)
		if err != nil {
			return grant{}, false
		}
		got := sha256.Sum256([]byte(c.Value))
		ok = subtle.ConstantTimeCompare(got[:], g.browser[:]) == 1
	}
	if !ok {
		return grant{}, false
	}
	delete(p.codes, hash)
	return g, !p.now().After(g.until)
}

// open opens a session and returns its two halves.
func (p *pages) open(who grant) (cookie, half string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sweep()
	if len(p.sessions) >= maxOpen {
		var oldest [32]byte
		for hash, s := range p.sessions {
			if o := p.sessions[oldest]; o == nil || s.used.Before(o.used) {
				oldest = hash
			}
		}
		p.sessions[oldest].end()
		delete(p.sessions, oldest)
	}
	cookie, half = rand.Text(), rand.Text()
	over, end := context.WithCancel(context.Background())
	s := &pageSession{
		half: sha256.Sum256([]byte(half)),
		who:  who,
		used: p.now(),
		over: over,
		end:  end,
	}
	hash := sha256.Sum256([]byte(cookie))
	p.sessions[hash] = s
	if who.account != nil {
		p.watch(hash, s)
	}
	return cookie, half
}

// sweep ends idle sessions, and those whose person the identity provider has not confirmed for too long.
func (p *pages) sweep() {
	now := p.now()
	for hash, s := range p.sessions {
		ends := s.who.id.Expires
		if now.Sub(s.used) > pageIdle || !ends.IsZero() && !now.Before(ends) || s.who.account.stale(now) {
			s.end()
			delete(p.sessions, hash)
		}
	}
}

// close ends a session and returns its grant; ok is false if the session does not exist.
func (p *pages) close(cookie string) (who grant, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	hash := sha256.Sum256([]byte(cookie))
	s, ok := p.sessions[hash]
	if !ok {
		return grant{}, false
	}
	s.end()
	delete(p.sessions, hash)
	return s.who, true
}

// admission says what a request of the page may do.
type admission struct {
	id   auth.Identity
	over context.Context // ends with the session
	with *grant          // grant of the request's login code; nil without a code
}

// admit returns what a request may do that comes from a logged-in page or, where codes are
// accepted, carries a login code. For other requests it returns nil and nil.
func (p *pages) admit(r *http.Request) (*admission, *auth.Refusal) {
	refused := func(status int, message string) (*admission, *auth.Refusal) {
		return nil, &auth.Refusal{Status: status, Message: message}
	}
	if code := r.Header.Get(codeHeader); code != "" && r.URL.Path == exchangePath {
		g, ok := p.redeem(code, r)
		if !ok {
			return refused(
				http.StatusUnauthorized,
				"this login link was used already, or is older than two minutes: run `mcpproxy open` again",
			)
		}
		return &admission{g.id, context.Background(), &g}, nil
	}
	if r.Header.Get("X-API-Key") != "" || r.Header.Get("Authorization") != "" {
		return nil, nil
	}
	cookie, err := r.Cookie(p.cookie)
	if err != nil {
		return nil, nil
	}
	if !sameOrigin(r) {
		return refused(http.StatusForbidden, "a page of another origin may not use this session")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sweep()
	s, ok := p.sessions[sha256.Sum256([]byte(cookie.Value))]
	if !ok {
		return refused(http.StatusUnauthorized, endedLogin)
	}
	half := sha256.Sum256([]byte(r.Header.Get(pageHeader)))
	if subtle.ConstantTimeCompare(half[:], s.half[:]) == 0 {
		return refused(http.StatusUnauthorized, endedLogin)
	}
	s.used = p.now()
	id := s.who.id
	id.Page = cookie.Value
	return &admission{id, s.over, nil}, nil
}

// sameOrigin reports whether a request comes from a page of this origin. Browsers send no Origin
// header with read requests.
func sameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return r.Method == http.MethodGet
	}
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, r.Host)
}
