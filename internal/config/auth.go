package config

import (
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcpproxy"
	"mcpproxy/internal/token"
)

// Auth is the section auth: who may use the listener besides the owner and the holders of tokens.
type Auth struct {
	OIDC         OIDC             `json:"oidc" jsonschema:"An OpenID provider whose tokens agents may send instead of a key"`
	Certificates map[string]Grant `json:"certificates" jsonschema:"What the holders of client certificates may use, by a name in the certificate: uri:, email:, dns: or cn: and the name itself; needs tls.client_ca"`
}

// OIDC is auth.oidc. It is off if the issuer is empty.
type OIDC struct {
	Issuer   string           `json:"issuer" jsonschema:"Address of the provider, exactly as in its tokens: https, or http on this machine; its keys are found by /.well-known/openid-configuration"`
	Audience string           `json:"audience" jsonschema:"What the claim aud of a token must hold, so that tokens for other programs do not count"`
	Resource string           `json:"resource" jsonschema:"Address by which agents reach mcpproxy, without a path, where a proxy stands before it; taken from each request when empty"`
	Claims   OIDCClaims       `json:"claims" jsonschema:"Which claims of a token are read"`
	Groups   map[string]Grant `json:"groups" jsonschema:"What the members of a group may use; whoever is in none of these groups is refused"`
	Page     OIDCPage         `json:"page" jsonschema:"How people log in to the page with an account of the provider"`
}

// OIDCPage is auth.oidc.page. It is off if the client id is empty.
type OIDCPage struct {
	Name         string   `json:"name" jsonschema:"Name of the company or provider on the button: Log in with NAME; the provider's host when empty"`
	URL          string   `json:"url" jsonschema:"Address at which people open the page, without a path: https, or http on this machine; the provider sends people back to it with /ui/login"`
	ClientID     string   `json:"client_id" jsonschema:"Name under which mcpproxy is registered with the provider"`
	ClientSecret string   `json:"client_secret" jsonschema:"Secret that belongs to client_id; empty for a public client"`
	Scopes       []string `json:"scopes" jsonschema:"Scopes to ask for in addition to openid, so that the provider sends name and groups"`
	Owners       []string `json:"owners" jsonschema:"Groups whose members see and decide everything on the page"`
	Auditors     []string `json:"auditors" jsonschema:"Groups whose members read what auditors may read, and decide nothing"`
	Recheck      string   `json:"recheck" jsonschema:"How often the provider is asked again whether a person who has logged in still has the account and the groups, from 1m to 12h, such as 15m"`
}

// CallbackPath is the path of the page to which the provider redirects people after a login.
const CallbackPath = "/ui/login"

// LogoutPath is the path of the page to which the provider sends logout tokens.
const LogoutPath = "/ui/logout"

// LogoutAddress returns the address that can be registered with the provider for back-channel logout.
func (p OIDCPage) LogoutAddress() string { return strings.TrimSuffix(p.URL, "/") + LogoutPath }

// maxRecheck is the longest value of recheck: a login does not last longer.
const maxRecheck = 12 * time.Hour

// Rechecks returns how often the provider is asked again about a person who has logged in.
func (p OIDCPage) Rechecks() time.Duration { return duration(p.Recheck) }

// Redirect returns the address that must be registered with the provider.
func (p OIDCPage) Redirect() string { return strings.TrimSuffix(p.URL, "/") + CallbackPath }

// check validates the section if an issuer is set.
func (p OIDCPage) check() error {
	const at = "auth.oidc.page"
	switch {
	case p.ClientID == "":
		if p.Name+p.URL+p.ClientSecret != "" || len(p.Owners)+len(p.Auditors) > 0 {
			return bad(at+".client_id", "is empty, so the rest of auth.oidc.page has no effect; set it to the name under which mcpproxy is registered with the provider")
		}
		return nil
	case p.URL == "":
		return bad(at+".url", "is needed: the provider sends people back to this address")
	case len(p.Owners)+len(p.Auditors) == 0:
		return bad(at+".owners", "and auditors name no group, so that every login would be refused; say who may log in")
	case slices.Contains(slices.Concat(p.Owners, p.Auditors), ""):
		return bad(at+".owners", "or auditors has a group without a name")
	}
	if err := checkOrigin(at+".url", p.URL); err != nil {
		return err
	}
	if u, err := url.Parse(p.URL); err == nil && strings.Trim(u.Path, "/") != "" && !reference().MatchString(p.URL) {
		return bad(at+".url", "%q has a path; write scheme and host alone, such as https://mcp.corp.example", p.URL)
	}
	if d, err := time.ParseDuration(p.Recheck); err != nil || d < time.Minute || d > maxRecheck {
		return bad(at+".recheck", "%q is not a duration from 1m to 12h; write 15m", p.Recheck)
	}
	for _, scope := range p.Scopes {
		if scope == "" || strings.ContainsFunc(scope, beyondScope) {
			return bad(at+".scopes", "%q is not the name of a scope", scope)
		}
	}
	return nil
}

// ForAgents reports whether agents may use tokens of the provider, in addition to people's logins
// to the page.
func (o *OIDC) ForAgents() bool { return o.Audience+o.Resource != "" || len(o.Groups) > 0 }

// beyondScope reports whether a character is invalid in a scope name (RFC 6749).
func beyondScope(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }

// OIDCClaims holds names of claims of a token.
type OIDCClaims struct {
	Principal string `json:"principal" jsonschema:"Claim that names the person, such as sub or email; email counts only with email_verified"`
	Groups    string `json:"groups" jsonschema:"Claim that lists the person's groups; a.b is the member b of the claim a"`
}

// Grant says what a caller may use, with the same terms as a token's scope. It names at least one
// server, tool or operation.
type Grant struct {
	Servers    []string             `json:"servers,omitempty" jsonschema:"Names of servers: all of their tools, resources and prompts"`
	Tools      []string             `json:"tools,omitempty" jsonschema:"Tools of other servers, as server:tool"`
	Operations []mcpproxy.Operation `json:"operations,omitempty" jsonschema:"read, write, destructive; all when absent"`
}

// Scope returns the grant as the scope of a token.
func (g Grant) Scope() token.Scope {
	return token.Scope{
		Servers:    g.Servers,
		Tools:      g.Tools,
		Operations: g.Operations,
	}
}

func (g Grant) check(at string) error {
	if g.Scope().All() {
		return bad(at, "names nothing; name servers, tools or operations, or all three operations for everything")
	}
	if err := g.Scope().Check(); err != nil {
		return bad(at, "%v", err)
	}
	return nil
}

func checkGrants(at string, grants map[string]Grant) error {
	for _, name := range slices.Sorted(maps.Keys(grants)) { // sorted, so that the same error is reported each time
		if err := grants[name].check(at + "." + name); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) checkAuth() error {
	return errors.Join(c.Auth.OIDC.check(), c.checkCertificates())
}

func (o *OIDC) check() error {
	const at = "auth.oidc"
	if o.Issuer == "" {
		if o.Audience+o.Resource+o.Page.ClientID != "" || len(o.Groups) > 0 {
			return bad(at+".issuer", "is empty, so the rest of auth.oidc has no effect; set it to the address of the provider")
		}
		return nil
	}
	if err := checkOrigin(at+".issuer", o.Issuer); err != nil {
		return err
	}
	if err := o.Page.check(); err != nil {
		return err
	}
	switch {
	case o.Claims.Principal != "" && o.Claims.Groups != "" && !o.ForAgents() && o.Page.ClientID != "":
		return nil
	case o.Audience == "":
		return bad(at+".audience", "is needed: without it, tokens that the provider made for any other program would count")
	case o.Claims.Principal == "":
		return bad(at+".claims.principal", "is empty; set it to the claim that names the person, such as sub")
	case o.Claims.Groups == "":
		return bad(at+".claims.groups", "is empty; set it to the claim that lists the groups, such as groups")
	case len(o.Groups) == 0:
		return bad(at+".groups", "names no group, so that every token would be refused; say what the members of a group may use")
	}
	if _, ok := o.Groups[""]; ok {
		return bad(at+".groups", "has a group without a name")
	}
	if o.Resource != "" {
		if err := checkOrigin(at+".resource", o.Resource); err != nil {
			return err
		}
	}
	return checkGrants(at+".groups", o.Groups)
}

// checkOrigin validates an address: https, or http on this machine, without a query.
func checkOrigin(at, address string) error {
	if reference().MatchString(address) {
		return nil // the file's references are not resolved
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		u.Scheme != "https" && (u.Scheme != "http" || !mcpproxy.LoopbackHost(u.Hostname())) {
		return bad(at, "%q is not an https address, such as https://login.corp.example", address)
	}
	return nil
}

// certificateNames are the prefixes of names in auth.certificates.
var certificateNames = []string{"uri", "email", "dns", "cn"}

func (c *Config) checkCertificates() error {
	const at = "auth.certificates"
	if len(c.Auth.Certificates) > 0 && c.TLS.ClientCA == "" {
		return bad(at, "needs tls.client_ca: without it the listener asks for no certificate")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Auth.Certificates)) {
		kind, value, _ := strings.Cut(name, ":")
		if !slices.Contains(certificateNames, kind) || value == "" {
			return bad(at, "%q is not a name in a certificate; write uri:, email:, dns: or cn:, followed by the name", name)
		}
	}
	return checkGrants(at, c.Auth.Certificates)
}
