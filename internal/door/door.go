package door

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpproxy/internal/token"
)

// Owner is the principal of who has the key or reaches the socket.
const Owner = "local"

// Identity is who stands behind a request. The zero value is nobody.
type Identity struct {
	Principal string     // Owner, or the name of a token
	Role      token.Role // of a token; "" for the owner
	Expires   time.Time  // when the token does; never when zero
	Local     bool       // the request came over the owner's socket
	Page      string     // the session of the page that the request came from; "" for others
}

// IsOwner reports whether everything is allowed.
func (i Identity) IsOwner() bool { return i.Principal == Owner }

// Refusal is why a request is not admitted.
type Refusal struct {
	Status  int           // 401 or 429
	Message string        // for the caller: what to do
	After   time.Duration // with 429: when to come again
}

// Header writes what belongs to the refusal into the headers of its answer.
func (r *Refusal) Header(h http.Header) {
	if r.Status == http.StatusTooManyRequests {
		h.Set("Retry-After", strconv.Itoa(int(r.After/time.Second)+1))
	}
}

// Door knows the keys.
type Door struct {
	key     func() string
	tokens  *token.Store
	guesses *guesses
	visits  visits
}

// New returns a door that opens to the key, which may change, and to tokens,
// which may be nil.
func New(key func() string, tokens *token.Store) *Door {
	return &Door{key: key, tokens: tokens, guesses: newGuesses(time.Now), visits: visits{open: map[*visit]bool{}}}
}

const (
	// Wanted tells what a request without a key lacks.
	Wanted = "a valid key is required: send api_key from the configuration, or a token, as X-API-Key or as a bearer token"
	stale  = "this token is unknown, was revoked or has expired: `mcpproxy token list` shows which there are, `mcpproxy token create` makes one"
	wrong  = "what was sent as a key is neither api_key nor a token: send a valid one, or none where none is needed"
	often  = "too many wrong keys came from this address: wait, or use the socket"
)

// Admit says who a request is from. Who came over the owner's socket (trusted)
// needs no key, and where open is set nobody does. Who shows one all the same is
// who it says, or is refused: a token that was sent wrongly never passes for none.
func (d *Door) Admit(r *http.Request, trusted, open bool) (Identity, *Refusal) {
	owner := Identity{Principal: Owner, Local: trusted}
	given := credentials(r)
	lacking := &Refusal{Status: http.StatusUnauthorized, Message: Wanted}
	if trusted || open {
		if !given.shown {
			return owner, nil
		}
		lacking.Message = wrong
	}
	if len(given.all) == 0 {
		return Identity{}, lacking
	}
	address := addressOf(r)
	guessed := !trusted && d.guessable(address)
	if guessed {
		if wait := d.guesses.wait(address); wait > 0 {
			return Identity{}, &Refusal{http.StatusTooManyRequests, often, wait}
		}
	}
	if given.token {
		if id, ok := d.bearer(given.all); ok {
			id.Local = trusted
			return id, nil
		}
	} else if d.isKey(given.all[0]) {
		return owner, nil
	}
	if guessed {
		d.guesses.wrong(address, given.all)
	}
	if given.token {
		return Identity{}, &Refusal{Status: http.StatusUnauthorized, Message: stale}
	}
	return Identity{}, lacking
}

// bearer is who has the one token among what was given.
func (d *Door) bearer(given []string) (Identity, bool) {
	if d.tokens == nil {
		return Identity{}, false
	}
	var found Identity
	for _, plain := range given {
		if !strings.HasPrefix(plain, token.Prefix) {
			continue
		}
		t, ok := d.tokens.Find(plain)
		if !ok || found.Principal != "" && found.Principal != t.Name {
			return Identity{}, false
		}
		found = Identity{Principal: t.Name, Role: t.Role, Expires: t.Expires}
	}
	return found, found.Principal != ""
}

// isKey compares hashes, so that not even the key's length can be measured.
func (d *Door) isKey(given string) bool {
	key := d.key()
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(key))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && key != ""
}

// longKey is the length from which a key cannot be found by guessing, in bytes;
// keys that mcpproxy makes have twice as many.
const longKey = 32

// guessable reports whether wrong keys from an address are counted. On this machine
// all programs have one address: if they were, any of them could keep the owner
// out, and where the key is long there is nothing to be had by guessing.
func (d *Door) guessable(address string) bool {
	return address != loopback || len(d.key()) < longKey
}

// given is what a request shows to be let in.
type given struct {
	all   []string
	token bool // one of them looks like a token
	shown bool // one of the headers says something, whatever it is
}

// credentials are the X-API-Key, the bearer token, and whatever else in the two
// headers looks like a token, in however many of them and in whichever form: who
// was given a token and sends it wrongly must not pass for somebody without one.
func credentials(r *http.Request) given {
	headers := slices.Concat(r.Header.Values("X-API-Key"), r.Header.Values("Authorization"))
	g := given{shown: strings.TrimSpace(strings.Join(headers, "")) != ""}
	for _, key := range r.Header.Values("X-API-Key") {
		g.add(key)
	}
	for _, value := range r.Header.Values("Authorization") {
		if scheme, key, ok := strings.Cut(value, " "); ok && strings.EqualFold(scheme, "Bearer") {
			g.add(strings.TrimSpace(key))
		}
	}
	for _, value := range headers {
		for _, word := range strings.FieldsFunc(value, borders) {
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

// borders are the characters that stand between the words of a header.
func borders(c rune) bool { return strings.ContainsRune(" \t,;:=\"'<>", c) }

func (g *given) add(key string) {
	if key == "" || slices.Contains(g.all, key) {
		return
	}
	g.all = append(g.all, key)
	g.token = g.token || strings.HasPrefix(key, token.Prefix)
}

// Shown reports whether a request shows anything to be let in by, right or wrong.
func Shown(r *http.Request) bool { return credentials(r).shown }

type identityKey struct{}

// With returns a context that knows who is behind its request.
func With(ctx context.Context, id Identity) context.Context {
	return context.WithValue(ctx, identityKey{}, id)
}

// From is who is behind a request's context; nobody when nothing says so.
func From(ctx context.Context) Identity {
	id, _ := ctx.Value(identityKey{}).(Identity)
	return id
}
