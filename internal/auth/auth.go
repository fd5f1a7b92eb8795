package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"mcpproxy/internal/token"
)

// Owner is the principal of a request that shows the key or comes over the owner's socket.
const Owner = "local"

// Identity describes the sender of a request. The zero value is an unknown sender.
type Identity struct {
	Principal string     // Owner, the name of a token, or the result of [Principal]
	Role      token.Role // role of the token or person; "" for an owner
	Expires   time.Time  // expiry of the token, certificate or login; zero if it does not expire
	// Grants are the keys of [Federation.Grants] that apply to the caller, sorted. The owner and
	// the holders of mcpproxy's own tokens have no grants.
	Grants []string
	Local  bool   // the request came over the owner's socket
	Page   string // web page session of the request; "" if it came from elsewhere
	// Keyless is set if the request came over the network without a key, and no key is
	// required. Its principal is Owner, so that policies and flow tracking treat it like
	// the owner's calls, but the sender is unknown.
	Keyless bool

	person bool        // logged in to the page with an account of the identity provider
	under  *Federation // that admitted the caller; nil for the owner and for holders of mcpproxy's tokens
}

// IsOwner reports whether the request is proven to come from the owner, or from a person who is logged in
// to the page with an owner's rights.
func (i Identity) IsOwner() bool {
	return i.Principal == Owner && !i.Keyless || i.person && i.Role == ""
}

// IsPerson reports whether the request comes from a person who is logged in to the page with an account
// of the identity provider.
func (i Identity) IsPerson() bool { return i.person }

// Refusal says why a request is not admitted. Its message is one of a few constant texts and never
// quotes the request.
type Refusal struct {
	Status    int           // 401, 403, 429 or 503
	Message   string        // tells the caller what to do
	After     time.Duration // with 429 and 503: how long to wait before the next attempt
	Principal string        // name of a valid token that does not allow the request

	challenge string // value of WWW-Authenticate; "" without an identity provider
	counted   bool   // the request counts as a guess of a key
}

// Header sets the response headers that belong to the refusal.
func (r *Refusal) Header(h http.Header) {
	if r.Status == http.StatusTooManyRequests || r.Status == http.StatusServiceUnavailable {
		h.Set("Retry-After", strconv.Itoa(int(r.After/time.Second)+1))
	}
	if r.challenge != "" {
		h.Set("WWW-Authenticate", r.challenge)
	}
}

// Authenticator identifies the senders of requests. It is safe for concurrent use.
type Authenticator struct {
	key        func() string
	tokens     *token.Store
	guesses    *guesses
	requests   openRequests
	refused    func(*http.Request, *Refusal)
	federation atomic.Pointer[Federation] // nil if only the key and tokens are accepted
}

// New returns an Authenticator that accepts the key that key returns at the time of a
// request, and the tokens of the store. The store may be nil.
func New(key func() string, tokens *token.Store) *Authenticator {
	return &Authenticator{
		key:      key,
		tokens:   tokens,
		guesses:  newGuesses(time.Now),
		requests: openRequests{open: map[*openRequest]bool{}},
		refused:  func(*http.Request, *Refusal) {},
	}
}

// OnRefused makes the Authenticator call f for every request that it refuses because of the sender.
// It must be called before requests are served.
func (a *Authenticator) OnRefused(f func(*http.Request, *Refusal)) { a.refused = f }

// Refused must be called by every handler that answers a request with a refusal.
func (a *Authenticator) Refused(r *http.Request, refusal *Refusal) { a.refused(r, refusal) }

const (
	// KeyRequired is the message of a refusal of a request without a key.
	KeyRequired    = "a valid key is required: send api_key from the configuration, or a token, as X-API-Key or as a bearer token"
	unknownToken   = "this token is unknown, was revoked or has expired: `mcpproxy token list` shows which there are, `mcpproxy token create` makes one"
	wrongKey       = "what was sent as a key is neither api_key nor a token: send a valid one, or leave it out where no key is needed"
	tooManyGuesses = "too many wrong keys came from this address: wait, or use the socket"
)

// Admit returns who sent a request, or a refusal. A request over the owner's socket
// (trusted) needs no key. If open is set, no request needs one; a request without a key is
// then [Identity.Keyless]. A key, token or certificate that is shown is always checked: a
// request with a malformed or wrong one is refused and never treated as a request without one.
// A key or token counts before a certificate.
func (a *Authenticator) Admit(r *http.Request, trusted, open bool) (Identity, *Refusal) {
	id, refusal := a.admit(r, trusted, open)
	if refusal != nil {
		if f := a.federation.Load(); f != nil && !trusted {
			refusal.challenge = f.challenge(r, refusal)
		}
		return Identity{}, refusal
	}
	id.Local = trusted
	return id, nil
}

func (a *Authenticator) admit(r *http.Request, trusted, open bool) (Identity, *Refusal) {
	given := credentialsOf(r)
	if !given.shown && !trusted {
		if id, refusal := a.federation.Load().byCertificate(r); refusal != nil || id.Principal != "" {
			return id, refusal
		}
	}
	lacking := &Refusal{Status: http.StatusUnauthorized, Message: KeyRequired}
	if trusted || open {
		if !given.shown {
			return Identity{Principal: Owner, Keyless: !trusted}, nil
		}
		lacking.Message = wrongKey
	}
	if len(given.all) == 0 {
		return Identity{}, lacking
	}
	address := AddressOf(r)
	guessed := !trusted && a.guessable(address)
	if guessed {
		if wait := a.guesses.wait(address); wait > 0 {
			return Identity{}, &Refusal{
				Status:  http.StatusTooManyRequests,
				Message: tooManyGuesses,
				After:   wait,
			}
		}
	}
	id, refusal := a.named(r, given, lacking)
	if refusal != nil && refusal.counted && guessed {
		a.guesses.wrong(address, given.all)
	}
	return id, refusal
}

// named returns the identity that the credentials of a request prove. Lacking is the refusal for a
// wrong key.
func (a *Authenticator) named(r *http.Request, given credentials, lacking *Refusal) (Identity, *Refusal) {
	f := a.federation.Load()
	switch alone := len(given.all) == 1; {
	case f.takes(given) && !(alone && a.isKey(given.all[0])):
		return f.byProvider(r, given)
	case given.token:
		if id, ok := a.bearer(given.all); ok {
			return id, nil
		}
		lacking = &Refusal{Status: http.StatusUnauthorized, Message: unknownToken}
	case a.isKey(given.all[0]):
		return Identity{Principal: Owner}, nil
	}
	lacking.counted = true
	return Identity{}, lacking
}

// bearer returns the identity of the token among the values. It fails if a token is invalid or if
// the values contain two different tokens.
func (a *Authenticator) bearer(given []string) (Identity, bool) {
	if a.tokens == nil {
		return Identity{}, false
	}
	var found Identity
	for _, plain := range given {
		if !strings.HasPrefix(plain, token.Prefix) {
			continue
		}
		t, ok := a.tokens.Find(plain)
		if !ok || found.Principal != "" && found.Principal != t.Name {
			return Identity{}, false
		}
		found = Identity{Principal: t.Name, Role: t.Role, Expires: t.Expires}
	}
	return found, found.Principal != ""
}

// isKey compares hashes in constant time, so that the time does not reveal the key's length.
func (a *Authenticator) isKey(given string) bool {
	key := a.key()
	got, want := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(key))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 && key != ""
}

// longKey is the length in bytes from which guessing a key is infeasible. The keys that mcpproxy
// generates are twice as long.
const longKey = 32

// guessable reports whether wrong keys from an address are counted. All programs of this
// machine share one address. If the key is long, wrong keys from this machine do not count:
// otherwise any local program could lock the owner out.
func (a *Authenticator) guessable(address string) bool {
	return address != loopback || len(a.key()) < longKey
}

// credentials are the keys and tokens in a request.
type credentials struct {
	all    []string
	bearer []string // the values that have the form of a bearer token
	token  bool     // one of the values looks like a token
	shown  bool     // at least one of the two headers has a value
}

// credentialsOf collects the X-API-Key, the bearer token, and everything else in the two
// headers that looks like a token, in any form and any number of headers: a caller who
// sends a token in the wrong way must not be treated as a caller without one.
func credentialsOf(r *http.Request) credentials {
	headers := slices.Concat(r.Header.Values("X-API-Key"), r.Header.Values("Authorization"))
	g := credentials{shown: strings.TrimSpace(strings.Join(headers, "")) != ""}
	for _, key := range r.Header.Values("X-API-Key") {
		g.add(key)
	}
	for _, value := range r.Header.Values("Authorization") {
		if scheme, key, ok := strings.Cut(value, " "); ok && strings.EqualFold(scheme, "Bearer") {
			key = strings.TrimSpace(key)
			g.add(key)
			g.bearer = append(g.bearer, key)
		}
	}
	for _, value := range headers {
		for _, word := range strings.FieldsFunc(value, isBorder) {
			if strings.HasPrefix(word, token.Prefix) {
				g.add(word)
			}
		}
	}
	if user, password, ok := r.BasicAuth(); ok {
		for _, word := range []string{user, password} {
			if strings.HasPrefix(word, token.Prefix) {
				g.add(word)
			}
		}
	}
	return g
}

// isBorder reports whether c separates words of a header.
func isBorder(c rune) bool { return strings.ContainsRune(" \t,;:=\"'<>", c) }

func (g *credentials) add(key string) {
	if key == "" || slices.Contains(g.all, key) {
		return
	}
	g.all = append(g.all, key)
	g.token = g.token || strings.HasPrefix(key, token.Prefix)
}

// Shown reports whether a request carries any credentials, right or wrong.
func Shown(r *http.Request) bool { return credentialsOf(r).shown }

type identityKey struct{}

// With returns a context that carries the identity of a request's sender.
func With(ctx context.Context, id Identity) context.Context {
	return context.WithValue(ctx, identityKey{}, id)
}

// From returns the identity that a request's context carries; the zero value if it
// carries none.
func From(ctx context.Context) Identity {
	id, _ := ctx.Value(identityKey{}).(Identity)
	return id
}
