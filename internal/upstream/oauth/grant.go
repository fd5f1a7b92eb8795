package oauth

import (
	"slices"
	"time"
)

// Method is how a client shows the token endpoint who it is.
type Method string

// The methods.
const (
	None  Method = "none"                // by its id alone
	Basic Method = "client_secret_basic" // with a secret in a header
	Post  Method = "client_secret_post"  // with a secret in the form
)

// Grant is what a login brought: tokens, and all that is needed to renew and to
// revoke them.
type Grant struct {
	Server   string `json:"server"`   // name in the configuration
	URL      string `json:"url"`      // of the MCP server, as configured
	Resource string `json:"resource"` // as its metadata names it (RFC 8707)
	Issuer   string `json:"issuer"`
	ClientID string `json:"client_id"`

	Registered  bool   `json:"registered,omitempty"`   // the client id was given to us by the issuer
	RedirectURI string `json:"redirect_uri,omitempty"` // that was registered
	Method      Method `json:"method"`
	TokenURL    string `json:"token_url"`
	RevokeURL   string `json:"revoke_url,omitempty"`

	Scopes   []string  `json:"scopes,omitempty"` // granted
	Login    string    `json:"login"`            // another one for each login
	Serial   int       `json:"serial"`           // counts the renewals
	Obtained time.Time `json:"obtained"`
	Expires  time.Time `json:"expires,omitzero"` // of the access token; zero when nobody said

	Kept    Place   `json:"kept"`
	Secrets Secrets `json:"secrets,omitzero"` // on disk only where Kept is File
}

// Secrets is the part of a grant that nobody may see.
type Secrets struct {
	Client  string `json:"client,omitempty"` // of a registered client
	Access  string `json:"access,omitempty"`
	Refresh string `json:"refresh,omitempty"`
}

// earliest is how long before its end a token is renewed, at most: one with a short
// life is renewed in the last fifth of it.
const earliest = time.Minute

// fresh reports whether the access token can be used for a while.
func (g *Grant) fresh(now time.Time) bool {
	if g.Secrets.Access == "" {
		return false
	}
	early := min(earliest, g.Expires.Sub(g.Obtained)/5)
	return g.Expires.IsZero() || now.Before(g.Expires.Add(-early))
}

// alive reports whether the access token has not expired.
func (g *Grant) alive(now time.Time) bool {
	return g.Secrets.Access != "" && (g.Expires.IsZero() || now.Before(g.Expires))
}

// sameAs reports whether g and o are one login at the same renewal.
func (g *Grant) sameAs(o *Grant) bool { return g.Login == o.Login && g.Serial == o.Serial }

// hidden are the strings that must not be seen.
func (g *Grant) hidden() []string {
	return []string{g.Secrets.Client, g.Secrets.Access, g.Secrets.Refresh}
}

// Settings are what the configuration says of one server's account.
type Settings struct {
	ClientID     string // "" to register
	ClientSecret string
	Issuer       string // "" for the one that the server names
	Scopes       []string
	RedirectPort int // 0 for a free one
	Place        Place
}

// fits reports whether a grant is for the server at url under these settings.
func (s Settings) fits(g *Grant, name, url string) bool {
	return g.Server == name && g.URL == url && (s.Issuer == "" || sameIssuer(s.Issuer, g.Issuer)) &&
		s.ClientID == s.clientOf(g)
}

// clientOf is the client id that a configuration must name for g.
func (s Settings) clientOf(g *Grant) string {
	if g.Registered {
		return ""
	}
	return g.ClientID
}

// union returns a, followed by the elements of b that a lacks.
func union(a []string, more ...string) []string {
	out := slices.Clone(a)
	for _, s := range more {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
