package config

import (
	"net/url"
	"strings"

	"mcpproxy"
)

// OAuth says how mcpproxy gets a token for an HTTP server. If the section is empty, mcpproxy
// discovers the authorization server and registers there.
type OAuth struct {
	ClientID     string   `json:"client_id,omitempty" jsonschema:"Id under which mcpproxy is known to the authorization server; it registers itself when absent"`
	ClientSecret string   `json:"client_secret,omitempty" jsonschema:"Secret that belongs to client_id, where there is one"`
	Issuer       string   `json:"issuer,omitempty" jsonschema:"The authorization server to trust, an https address; the one that the server names when absent"`
	Scopes       []string `json:"scopes,omitempty" jsonschema:"Scopes to ask for; those that the server names when absent"`
	RedirectPort int      `json:"redirect_port,omitzero" jsonschema:"Port of this machine to which the browser returns after a login; a free one when absent"`
	Store        string   `json:"store,omitempty" jsonschema:"Where tokens are kept. keyring: the system's keyring; file: a file in data_dir that is yours alone (mode 0600); auto, when absent: the keyring where there is one, else the file"`
}

// oauthStores are the places where tokens can be stored.
var oauthStores = []string{"auto", "keyring", "file"}

// check validates the section of server s with address u.
func (o *OAuth) check(at string, s *Server, u *url.URL) error {
	if o == nil {
		return nil
	}
	for name := range s.Headers {
		if strings.EqualFold(name, "Authorization") {
			return bad(
				strings.TrimSuffix(at, ".oauth")+".headers",
				"the header Authorization and oauth both set the credentials; remove one of them",
			)
		}
	}
	switch {
	case u.User != nil:
		return bad(at, "the user in the url and oauth both set the credentials; remove one of them")
	case o.ClientSecret != "" && o.ClientID == "":
		return bad(at+".client_secret", "needs a client_id, which is not set")
	case o.RedirectPort < 0 || o.RedirectPort > 65535:
		return bad(at+".redirect_port", "%d is not a port: use a number from 1 to 65535, or leave it out", o.RedirectPort)
	case o.Store != "":
		if err := oneOf(at+".store", o.Store, oauthStores...); err != nil {
			return err
		}
	}
	for _, scope := range o.Scopes {
		if !isScope(scope) {
			return bad(at+".scopes", "%q is not a scope: write each scope as its own string, without blanks and quotes", scope)
		}
	}
	return checkIssuer(at+".issuer", o.Issuer)
}

// checkIssuer requires an address that RFC 8414 allows as an issuer.
func checkIssuer(at, issuer string) error {
	if issuer == "" || reference().MatchString(issuer) {
		return nil
	}
	u, err := url.Parse(issuer)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return bad(at, "%q is not an issuer: use an https address without a query", issuer)
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !mcpproxy.LoopbackHost(u.Hostname())) {
		return bad(at, "tokens would come from %s without encryption: use an https address", u.Hostname())
	}
	return nil
}

// isScope reports whether s is a valid scope (RFC 6749).
func isScope(s string) bool {
	return s != "" &&
		!strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' })
}
