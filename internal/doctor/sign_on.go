package doctor

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcpproxy/internal/auth"
	"mcpproxy/internal/auth/oidc"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
)

// signOnWait is the timeout for the identity provider.
const signOnWait = 10 * time.Second

// checkSignOn asks the identity provider for its keys, and reports grants for unknown servers.
func checkSignOn(ctx context.Context, _ Installation, c *config.Config, f *Checkup) {
	const section = "Single sign-on"
	if s, ok := daemon.ProviderSettings(c); ok { // for agents and for the page
		ctx, cancel := context.WithTimeout(ctx, signOnWait)
		defer cancel()
		result := Check{Section: section, Name: "issuer", Key: "auth.oidc.issuer"}
		if n, err := oidc.New(s).Keys(ctx); err != nil {
			result.Detail = err.Error()
			result.Advice = "requests get status 503 until the provider's keys are known: check auth.oidc.issuer, and whether this machine can reach it"
		} else {
			result.OK, result.Detail = true, fmt.Sprintf("%s publishes %d keys", s.Issuer, n)
		}
		f.add(result)
	}
	if login := daemon.PageLogin(c); login != nil {
		checkPageLogin(ctx, login, c, f)
	}
	if names := unknownServers(c); len(names) > 0 {
		f.advise(true, Check{
			Section: section,
			Name:    "servers",
			Key:     "auth",
			Detail:  "no server is named " + listed(names),
			Advice:  "correct the names in auth.oidc.groups and auth.certificates",
		})
	}
}

// checkPageLogin checks whether people can log in to the page with an account, as far as this
// machine can check it.
func checkPageLogin(ctx context.Context, login *auth.PageLogin, c *config.Config, f *Checkup) {
	ctx, cancel := context.WithTimeout(ctx, signOnWait)
	defer cancel()
	result := Check{Section: "Single sign-on", Name: "page login", Key: "auth.oidc.page"}
	tls := c.TLS.Local || c.TLS.Cert != ""
	u, parsed := url.Parse(login.URL)
	switch err := login.Client.Lacks(ctx); {
	case err != nil:
		result.Detail = err.Error()
		result.Advice = "nobody can log in to the page with an account: check auth.oidc.issuer and the metadata that the provider publishes"
	case parsed == nil && u.Scheme == "http" && tls:
		result.Detail = login.URL + " is not encrypted, and the listener is"
		result.Advice = "the provider would redirect the browser to an address that does not answer: write https in auth.oidc.page.url"
	case parsed == nil && u.Scheme == "https" && !tls:
		result.OK = true
		result.Detail = "the provider sends people back to " + login.Client.Redirect()
		result.Advice = "the listener does not encrypt: a reverse proxy has to speak https at this address, or set tls"
		f.advise(true, result)
		return
	default:
		result.OK = true
		result.Detail = "the provider sends people back to " + login.Client.Redirect() + ", which must be registered there"
		if login.Client.LogsOut(ctx) {
			result.Detail += "; it can tell " + c.Auth.OIDC.Page.LogoutAddress() + " of logouts (back-channel logout), if that is registered"
		}
	}
	f.add(result)
}

// unknownServers returns the servers in grants that are not configured.
func unknownServers(c *config.Config) []string {
	var out []string
	for _, grants := range []map[string]config.Grant{c.Auth.OIDC.Groups, c.Auth.Certificates} {
		for _, g := range grants {
			for _, name := range g.Scope().Reaches() {
				if !slices.ContainsFunc(c.Servers, func(s config.Server) bool { return s.Name == name }) {
					out = append(out, name)
				}
			}
		}
	}
	slices.SortFunc(out, strings.Compare)
	return slices.Compact(out)
}
