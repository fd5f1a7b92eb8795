package oidc

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Logout names the logins that a logout token ends (OpenID Connect Back-Channel Logout 1.0). At least one of its
// fields is set.
type Logout struct {
	Subject string // the person
	Session string // the session at the provider
}

// Ends reports whether a logout ends a login. If the logout names a session and the login's ID token named none,
// the logout ends the login if it names its person.
func (o Logout) Ends(l Login) bool {
	if o.Subject != "" && o.Subject != l.subject {
		return false
	}
	if o.Session != "" && l.session != "" {
		return o.Session == l.session
	}
	return o.Subject != ""
}

// The reasons of [Invalid] that only occur with a logout token.
const (
	noEvent       = "the logout token has no event of a back-channel logout"
	withNonce     = "the logout token has a nonce, as an ID token has"
	noTokenID     = "the logout token has no jti"
	usedTokenID   = "the logout token was used before"
	oldLogout     = "the logout token is too old, or is not valid yet"
	expiredLogout = "the logout token has expired"
	endsNothing   = "the logout token names neither a person nor a session"
	nameOfLogout  = "logout token"
)

const (
	maxLogoutAge = 10 * time.Minute // from iat; older logout tokens are refused
	maxTokenIDs  = 4096             // ids of logout tokens that are remembered
)

// logoutTypes are the values of the header typ that a logout token may have.
var logoutTypes = []string{"logout+jwt", "application/logout+jwt", "jwt"}

// usedTokens remembers the ids of logout tokens until the tokens are too old. Its zero value is ready.
type usedTokens struct {
	mu   sync.Mutex
	seen map[string]time.Time // when each id may be forgotten
}

// use remembers an id. It returns false if the id was used before.
func (u *usedTokens) use(id string, now, until time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, ok := u.seen[id]; ok {
		return false
	}
	if u.seen == nil {
		u.seen = map[string]time.Time{}
	}
	var first string
	for other, end := range u.seen {
		if now.After(end) {
			delete(u.seen, other)
		} else if first == "" || end.Before(u.seen[first]) {
			first = other
		}
	}
	if len(u.seen) >= maxTokenIDs {
		delete(u.seen, first)
	}
	u.seen[id] = until
	return true
}

// Logout checks a logout token that the provider has sent, and returns what it ends. A token is accepted once. The
// error is an [*Invalid] or an [*Outage].
func (c *Client) Logout(ctx context.Context, raw string) (Logout, error) {
	payload, err := c.provider.open(ctx, raw, logoutTypes)
	if err != nil {
		return Logout{}, named(err, nameOfLogout)
	}
	now := c.provider.now()
	out, id, err := c.provider.settings.logout(payload, now)
	if err != nil {
		return Logout{}, err
	}
	if !c.used.use(id, now, now.Add(maxLogoutAge+2*skew)) {
		return Logout{}, invalid(usedTokenID)
	}
	return out, nil
}

// logout returns what the claims of a logout token end, and the token's id.
func (s Settings) logout(payload []byte, now time.Time) (out Logout, id string, err error) {
	var c claims
	if err := json.Unmarshal(payload, &c); err != nil || c == nil {
		return out, "", named(invalid(noClaims), nameOfLogout)
	}
	if iss, ok := c.text("iss"); !ok || iss != s.Issuer {
		return out, "", named(invalid(wrongIssuer), nameOfLogout)
	}
	if aud, ok := c.texts("aud"); !ok || s.Audience == "" || !slices.Contains(aud, s.Audience) {
		return out, "", named(invalid(wrongAudience), nameOfLogout)
	}
	made, ok := c.time("iat")
	if !ok || made.After(now.Add(skew)) || now.Sub(made) > maxLogoutAge+skew {
		return out, "", invalid(oldLogout)
	}
	// Providers from before the final text of the standard send no exp. The age bounds their tokens.
	if ends, ok := c.time("exp"); c["exp"] != nil && (!ok || !now.Before(ends)) {
		return out, "", invalid(expiredLogout)
	}
	var events claims
	if json.Unmarshal(c["events"], &events) != nil || jsontext.Value(events[logoutEvent]).Kind() != '{' {
		return out, "", invalid(noEvent)
	}
	if _, ok := c["nonce"]; ok {
		return out, "", invalid(withNonce)
	}
	if id, ok = c.text("jti"); !ok || id == "" {
		return out, "", invalid(noTokenID)
	}
	for name, into := range map[string]*string{"sub": &out.Subject, "sid": &out.Session} {
		text, ok := c.text(name)
		if c[name] != nil && (!ok || text == "") {
			return Logout{}, "", invalid(endsNothing)
		}
		*into = text
	}
	if out == (Logout{}) {
		return out, "", invalid(endsNothing)
	}
	return out, id, nil
}

// LogsOut reports whether the provider says that it sends logout tokens.
func (c *Client) LogsOut(ctx context.Context) bool {
	about, err := c.discovered(ctx)
	return err == nil && about.LogsOut
}
