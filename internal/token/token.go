package token

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpproxy/internal/lazyregexp"
)

// Prefix begins the plain form of every token.
const Prefix = "mcp_agt_"

// Role says what a token is for.
type Role string

// The roles. The owner has no token: who holds api_key or reaches the socket is
// the owner.
const (
	Agent   Role = "agent"   // uses the MCP endpoints, within its scope
	Auditor Role = "auditor" // reads the activity log, without bodies
)

// Roles lists every role.
var Roles = []Role{Agent, Auditor}

// Token is one key that was given out, without the key itself.
type Token struct {
	Name    string    `json:"name"` // the principal of the bearer's calls
	Role    Role      `json:"role"`
	Scope             // of an agent
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"` // never when zero
	// Used is the hour in which the token was last used, no closer: a token is no
	// clock of what its bearer does.
	Used time.Time `json:"last_used,omitzero"`

	hash [sha256.Size]byte
}

// Is reports whether plain is the plain form of the token. Unlike [Store.Find] it does
// not count as a use.
func (t Token) Is(plain string) bool {
	hash := sha256.Sum256([]byte(plain))
	return subtle.ConstantTimeCompare(t.hash[:], hash[:]) == 1
}

// Expired reports whether the token is over at now.
func (t Token) Expired(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

// Spec is a token to be made.
type Spec struct {
	Name    string
	Role    Role // Agent when empty
	Scope   Scope
	Expires time.Time // never when zero
}

// Errors of a store.
var (
	ErrExists  = errors.New("there is a token of this name already: revoke it first, or choose another name")
	ErrUnknown = errors.New("there is no token of this name")
	ErrSpec    = errors.New("invalid token") // wraps what is wrong with a Spec
)

// maxName is the length of the longest name, in bytes.
const maxName = 64

// names are what a token may be called: a name becomes part of the keys of
// sessions, so nothing in it may look like the border between two parts.
var names = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// reserved are the principals that no token may pass itself off as.
var reserved = []string{"local", "owner", "auditor", "mcpproxy", "system"}

// token checks a spec and makes a token of it, with its plain form.
func (s Spec) token(now time.Time) (plain string, t Token, err error) {
	if s.Role == "" {
		s.Role = Agent
	}
	switch {
	case len(s.Name) > maxName || !names().MatchString(s.Name):
		return "", t, fmt.Errorf(
			"%w: its name must be 1 to %d letters, digits, dots, dashes and underscores, the first a letter or digit",
			ErrSpec,
			maxName,
		)
	case slices.Contains(reserved, strings.ToLower(s.Name)):
		return "", t, fmt.Errorf("%w: the name %q is taken by mcpproxy itself", ErrSpec, s.Name)
	case !slices.Contains(Roles, s.Role):
		return "", t, fmt.Errorf("%w: the role %q is neither agent nor auditor", ErrSpec, s.Role)
	case s.Role == Auditor && !s.Scope.All():
		return "", t, fmt.Errorf("%w: an auditor calls no tools, so there is nothing to limit", ErrSpec)
	case !s.Expires.IsZero() && !s.Expires.After(now):
		return "", t, fmt.Errorf("%w: it would have expired already", ErrSpec)
	}
	if err := s.Scope.Check(); err != nil {
		return "", t, fmt.Errorf("%w: %w", ErrSpec, err)
	}
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails
	plain = Prefix + base64.RawURLEncoding.EncodeToString(secret[:])
	return plain, Token{
		Name:    s.Name,
		Role:    s.Role,
		Scope:   s.Scope,
		Created: now.UTC().Truncate(time.Second),
		Expires: s.Expires.UTC().Truncate(time.Second),
		hash:    sha256.Sum256([]byte(plain)),
	}, nil
}

// kept is a token as the file holds it.
type kept struct {
	Token
	Hash string `json:"sha256"`
}

// open is the token that the file holds, checked: what cannot be understood must
// not become a key.
func (k kept) open() (Token, error) {
	t := k.Token
	raw, err := hex.DecodeString(k.Hash)
	if err != nil || len(raw) != sha256.Size {
		return t, errors.New("its hash is not a hexadecimal SHA-256")
	}
	t.hash = [sha256.Size]byte(raw)
	if len(t.Name) > maxName || !names().MatchString(t.Name) || slices.Contains(reserved, strings.ToLower(t.Name)) {
		return t, errors.New("its name cannot be one")
	}
	if !slices.Contains(Roles, t.Role) || t.Role == Auditor && !t.Scope.All() {
		return t, fmt.Errorf("a token of its scope cannot have the role %q", t.Role)
	}
	return t, t.Scope.Check()
}

// equal reports whether two tokens are one and the same, for as long and in the
// same role: what its bearer has open was opened under these.
func (t Token) equal(o Token) bool {
	return t.Name == o.Name && t.hash == o.hash && t.Role == o.Role && t.Expires.Equal(o.Expires)
}

// Life is how long a token lasts when nobody says otherwise.
const Life = 90 * 24 * time.Hour

// ParseExpiry reads when a token shall expire: a number of days, hours or minutes
// such as 30d, a date, an RFC 3339 time, or never. [Life] from now when empty.
func ParseExpiry(s string, now time.Time) (time.Time, error) {
	switch s {
	case "":
		return now.Add(Life), nil
	case "never":
		return time.Time{}, nil
	}
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(form, s); err == nil && !t.IsZero() { // zero would be never
			return t, nil
		}
	}
	units := map[byte]time.Duration{'d': 24 * time.Hour, 'h': time.Hour, 'm': time.Minute}
	n, err := strconv.Atoi(s[:len(s)-1])
	unit, known := units[s[len(s)-1]]
	if err != nil || !known || n <= 0 || n > 36500 {
		return time.Time{}, fmt.Errorf("%w: invalid expires %q: write 30d, 12h, 2027-01-31 or never", ErrSpec, s)
	}
	return now.Add(time.Duration(n) * unit), nil
}
