package oauth

import (
	"slices"
	"time"
)

// Method is the way in which a client authenticates to the token endpoint.
type Method string

// The authentication methods.
const (
	None  Method = "none"                // only the client's id
	Basic Method = "client_secret_basic" // a secret in a header
	Post  Method = "client_secret_post"  // a secret in the form
)

// Grant is the result of a login: the tokens, and everything that is needed to renew and revoke
// them.
type Grant struct {
	Server   string `json:"server"`   // the server's name in the configuration
	URL      string `json:"url"`      // URL of the MCP server, as configured
	Resource string `json:"resource"` // the resource in the server's metadata (RFC 8707)
	Issuer   string `json:"issuer"`
	ClientID string `json:"client_id"`

	Registered  bool   `json:"registered,omitempty"`   // the issuer assigned the client id at registration
	RedirectURI string `json:"redirect_uri,omitempty"` // the redirect address that was registered
	Method      Method `json:"method"`
	TokenURL    string `json:"token_url"`
	RevokeURL   string `json:"revoke_url,omitempty"`

	Scopes   []string  `json:"scopes,omitempty"` // granted
	Login    string    `json:"login"`            // id of the login
	Serial   int       `json:"serial"`           // number of renewals
	Obtained time.Time `json:"obtained"`
	Expires  time.Time `json:"expires,omitzero"` // expiry of the access token; zero if unknown

	Kept    Place   `json:"kept"`
	Secrets Secrets `json:"secrets,omitzero"` // stored on disk only if Kept is File
}

// Secrets is the secret part of a grant.
type Secrets struct {
	Client  string `json:"client,omitempty"` // secret of a registered client
	Access  string `json:"access,omitempty"`
	Refresh string `json:"refresh,omitempty"`
}

// earliest is the maximum time before its expiry at which a token is renewed. A short-lived token
// is renewed in the last fifth of its life.
const earliest = time.Minute

// fresh reports whether the access token need not be renewed yet.
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

// sameAs reports whether g and o are the same login after the same number of renewals.
func (g *Grant) sameAs(o *Grant) bool { return g.Login == o.Login && g.Serial == o.Serial }

// hidden returns the secret strings of the grant.
func (g *Grant) hidden() []string {
	return []string{g.Secrets.Client, g.Secrets.Access, g.Secrets.Refresh}
}

// Settings is the configuration of one server's account.
type Settings struct {
	ClientID     string // "" means that mcpproxy registers itself
	ClientSecret string
	Issuer       string // "" means the one that the server names
	Scopes       []string
	RedirectPort int // 0 means any free port
	Place        Place
}

// fits reports whether a grant was made for the server at url with these settings.
func (s Settings) fits(g *Grant, name, url string) bool {
	return g.Server == name && g.URL == url && (s.Issuer == "" || sameIssuer(s.Issuer, g.Issuer)) &&
		s.ClientID == s.clientOf(g)
}

// clientOf returns the client id that the configuration must have for g to be valid.
func (s Settings) clientOf(g *Grant) string {
	if g.Registered {
		return ""
	}
	return g.ClientID
}

// union returns a followed by the elements of b that are not in a.
func union(a []string, more ...string) []string {
	out := slices.Clone(a)
	for _, s := range more {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
