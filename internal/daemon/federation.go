package daemon

import (
	"net/url"
	"strings"

	"mcpproxy/internal/auth"
	"mcpproxy/internal/auth/oidc"
	"mcpproxy/internal/config"
	"mcpproxy/internal/token"
)

// ProviderSettings returns which tokens of an identity provider a configuration accepts; ok is
// false if it names no provider.
func ProviderSettings(c *config.Config) (s oidc.Settings, ok bool) {
	o := c.Auth.OIDC
	return oidc.Settings{
		Issuer:         o.Issuer,
		Audience:       o.Audience,
		PrincipalClaim: o.Claims.Principal,
		GroupsClaim:    o.Claims.Groups,
	}, o.Issuer != ""
}

// PageLogin returns how people log in to the page with an account, or nil if the configuration does
// not allow it.
func PageLogin(c *config.Config) *auth.PageLogin {
	page := c.Auth.OIDC.Page
	s, ok := ProviderSettings(c)
	if !ok || page.ClientID == "" {
		return nil
	}
	name := page.Name
	if u, err := url.Parse(s.Issuer); err == nil && name == "" {
		name = u.Host
	}
	origin := strings.TrimSuffix(page.URL, "/")
	return &auth.PageLogin{
		Client: oidc.NewClient(s, oidc.ClientSettings{
			ID:       page.ClientID,
			Secret:   page.ClientSecret,
			Redirect: page.Redirect(),
			Return:   origin + "/ui/",
			Scopes:   page.Scopes,
		}),
		Name:     name,
		URL:      origin,
		Owners:   page.Owners,
		Auditors: page.Auditors,
		Recheck:  page.Rechecks(),
	}
}

// federationOf returns the people and certificates that a configuration admits, besides the owner and the holders of
// tokens. It returns nil if there are none.
func federationOf(c *config.Config) *auth.Federation {
	f := &auth.Federation{Resource: c.Auth.OIDC.Resource, Grants: map[string]token.Scope{}}
	if s, ok := ProviderSettings(c); ok && c.Auth.OIDC.ForAgents() {
		f.Provider = oidc.New(s)
	}
	f.Page = PageLogin(c)
	for group, g := range c.Auth.OIDC.Groups {
		f.Grants[auth.GroupGrant(group)] = g.Scope()
	}
	for name, g := range c.Auth.Certificates {
		f.Grants[auth.CertificateGrant(name)] = g.Scope()
	}
	if f.Provider == nil && f.Page == nil && len(f.Grants) == 0 {
		return nil
	}
	return f
}
