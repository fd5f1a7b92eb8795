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
	pageIdle   = 12 * time.Hour  // after which an unused session ends
	maxCodes   = 16              // codes that wait; the oldest goes when there is one more
	maxOpen    = 64              // sessions; the one that was unused longest goes
	endedLogin = "the page's session has ended: run `mcpproxy open`, or log in with the API key"
)

// pages are the logins of the page: codes that wait to be used, and open sessions.
// They live as long as the daemon. Secrets are kept as hashes.
type pages struct {
	cookie string // its name, which has the port in it: cookies do not tell ports apart
	now    func() time.Time

	mu       sync.Mutex
	codes    map[[32]byte]time.Time // until when
	sessions map[[32]byte]*pageSession
}

// pageSession is one open session.
type pageSession struct {
	half [32]byte // hash of what the page keeps
	used time.Time
	over context.Context // ends with the session
	end  context.CancelFunc
}

func newPages(listen string) *pages {
	_, port, _ := net.SplitHostPort(listen)
	return &pages{
		cookie:   "mcpproxy_" + port,
		now:      time.Now,
		codes:    map[[32]byte]time.Time{},
		sessions: map[[32]byte]*pageSession{},
	}
}

// code makes a login code.
func (p *pages) code() (string, time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	var oldest [32]byte
	for hash, until := range p.codes {
		if now.After(until) {
			delete(p.codes, hash)
		} else if t, ok := p.codes[oldest]; !ok || until.Before(t) {
			oldest = hash
		}
	}
	if len(p.codes) >= maxCodes {
		delete(p.codes, oldest)
	}
	code := rand.Text()
	p.codes[sha256.Sum256([]byte(code))] = now.Add(codeLife)
	return code, now.Add(codeLife)
}

// redeem uses a code up.
func (p *pages) redeem(code string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	hash := sha256.Sum256([]byte(code))
	until, ok := p.codes[hash]
	delete(p.codes, hash)
	return ok && !p.now().After(until)
}

// open opens a session and returns its two halves.
func (p *pages) open() (cookie, half string) {
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
	p.sessions[sha256.Sum256([]byte(cookie))] = &pageSession{sha256.Sum256([]byte(half)), p.now(), over, end}
	return cookie, half
}

// sweep ends sessions that nobody uses.
func (p *pages) sweep() {
	for hash, s := range p.sessions {
		if p.now().Sub(s.used) > pageIdle {
			s.end()
			delete(p.sessions, hash)
		}
	}
}

// close ends a session; ok says whether there was one.
func (p *pages) close(cookie string) (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	hash := sha256.Sum256([]byte(cookie))
	s, ok := p.sessions[hash]
	if ok {
		s.end()
		delete(p.sessions, hash)
	}
	return ok
}

// admit says whether a request comes from a page that is logged in, or brings a
// login code where one is taken. It says nothing of requests with neither: asked is
// false then. Over ends when the session does.
func (p *pages) admit(r *http.Request) (id auth.Identity, over context.Context, asked bool, refusal *auth.Refusal) {
	owner := auth.Identity{Principal: auth.Owner}
	refused := func(status int, message string) (auth.Identity, context.Context, bool, *auth.Refusal) {
		return auth.Identity{}, nil, true, &auth.Refusal{Status: status, Message: message}
	}
	if code := r.Header.Get(codeHeader); code != "" && r.URL.Path == "/api/v1/login/exchange" {
		if !p.redeem(code) {
			return refused(
				http.StatusUnauthorized,
				"this login link was used already, or is older than two minutes: run `mcpproxy open` again",
			)
		}
		return owner, context.Background(), true, nil
	}
	if r.Header.Get("X-API-Key") != "" || r.Header.Get("Authorization") != "" {
		return auth.Identity{}, nil, false, nil
	}
	cookie, err := r.Cookie(p.cookie)
	if err != nil {
		return auth.Identity{}, nil, false, nil
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
	owner.Page = cookie.Value
	return owner, s.over, true, nil
}

// sameOrigin reports whether a request comes from a page of this very address.
// Browsers send no Origin with what reads.
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
