package daemon

import (
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

// federationOf returns whom a configuration admits beside the owner and the bearers of tokens;
// nil for nobody.
func federationOf(c *config.Config) *auth.Federation {
	f := &auth.Federation{Resource: c.Auth.OIDC.Resource, Grants: map[string]token.Scope{}}
	if s, ok := ProviderSettings(c); ok {
		f.Provider = oidc.New(s)
	}
	for group, g := range c.Auth.OIDC.Groups {
		f.Grants[auth.GroupGrant(group)] = g.Scope()
	}
	for name, g := range c.Auth.Certificates {
		f.Grants[auth.CertificateGrant(name)] = g.Scope()
	}
	if f.Provider == nil && len(f.Grants) == 0 {
		return nil
	}
	return f
}
