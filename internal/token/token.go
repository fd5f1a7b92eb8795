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

// Prefix is the prefix of the plain form of every token.
const Prefix = "mcp_agt_"

// Role says what a token is for.
type Role string

// The roles. The owner has no token: the owner is the sender who has api_key or can connect to the
// socket.
const (
	Agent   Role = "agent"   // uses the MCP endpoints, within its scope
	Auditor Role = "auditor" // reads the activity log, without bodies
)

// Roles lists every role.
var Roles = []Role{Agent, Auditor}

// Token describes one issued token. It does not contain the token's plain form.
type Token struct {
	Name    string    `json:"name"` // the principal of the bearer's calls
	Role    Role      `json:"role"`
	Scope             // scope of an agent
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"` // zero means never
	// Used is the hour in which the token was last used. It is not more exact, so that it does not
	// disclose what the bearer does when.
	Used time.Time `json:"last_used,omitzero"`

	hash [sha256.Size]byte
}

// Is reports whether plain is the plain form of the token. Unlike [Store.Find], it does not count
// as a use.
func (t Token) Is(plain string) bool {
	hash := sha256.Sum256([]byte(plain))
	return subtle.ConstantTimeCompare(t.hash[:], hash[:]) == 1
}

// Expired reports whether the token has expired at the time now.
func (t Token) Expired(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

// Spec describes a token to be created.
type Spec struct {
	Name    string
	Role    Role // empty means Agent
	Scope   Scope
	Expires time.Time // zero means never
}

// The errors of a store.
var (
	ErrExists  = errors.New("a token with this name exists: revoke it first, or choose another name")
	ErrUnknown = errors.New("there is no token with this name")
	ErrSpec    = errors.New("invalid token") // wrapped by the errors about an invalid Spec
)

// maxName is the maximum length of a name, in bytes.
const maxName = 64

// names matches the valid names of tokens. A name becomes part of the keys of sessions, so it must
// not contain a separator of their parts.
var names = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// reserved are the names of principals that no token may have.
var reserved = []string{"local", "owner", "auditor", "mcpproxy", "system"}

// token validates a spec and makes a token from it, with its plain form.
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
		return "", t, fmt.Errorf("%w: an auditor's token cannot call tools, so it cannot have a scope", ErrSpec)
	case !s.Expires.IsZero() && !s.Expires.After(now):
		return "", t, fmt.Errorf("%w: its expiry is in the past", ErrSpec)
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

// kept is a token in the file.
type kept struct {
	Token
	Hash string `json:"sha256"`
}

// open validates a token from the file, so that damaged data never becomes a valid token.
func (k kept) open() (Token, error) {
	t := k.Token
	raw, err := hex.DecodeString(k.Hash)
	if err != nil || len(raw) != sha256.Size {
		return t, errors.New("its hash is not a hexadecimal SHA-256")
	}
	t.hash = [sha256.Size]byte(raw)
	if len(t.Name) > maxName || !names().MatchString(t.Name) || slices.Contains(reserved, strings.ToLower(t.Name)) {
		return t, errors.New("its name is not valid")
	}
	if !slices.Contains(Roles, t.Role) || t.Role == Auditor && !t.Scope.All() {
		return t, fmt.Errorf("a token with a scope cannot have the role %q", t.Role)
	}
	return t, t.Scope.Check()
}

// equal reports whether two tokens have the same name, key, role and expiry. If not, the sessions
// that the bearer opened with the old one must end.
func (t Token) equal(o Token) bool {
	return t.Name == o.Name && t.hash == o.hash && t.Role == o.Role && t.Expires.Equal(o.Expires)
}

// Life is the default lifetime of a token.
const Life = 90 * 24 * time.Hour

// ParseExpiry parses the expiry of a token: a number of days, hours or minutes such as 30d, a date,
// an RFC 3339 time, or never. The empty string means [Life] from now.
func ParseExpiry(s string, now time.Time) (time.Time, error) {
	switch s {
	case "":
		return now.Add(Life), nil
	case "never":
		return time.Time{}, nil
	}
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(form, s); err == nil && !t.IsZero() { // a zero time would mean never
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
