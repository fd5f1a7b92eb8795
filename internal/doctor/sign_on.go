package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpproxy/internal/auth/oidc"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
)

// signOnWait is how long the identity provider may take to answer.
const signOnWait = 10 * time.Second

// checkSignOn asks the identity provider for its keys, and looks for grants that name no server.
func checkSignOn(ctx context.Context, _ Installation, c *config.Config, f *Checkup) {
	const section = "Single sign-on"
	if s, ok := daemon.ProviderSettings(c); ok { // of agents and of the page
		ctx, cancel := context.WithTimeout(ctx, signOnWait)
		defer cancel()
		result := Check{Section: section, Name: "issuer", Key: "auth.oidc.issuer"}
		if n, err := oidc.New(s).Keys(ctx); err != nil {
			result.Detail = err.Error()
			result.Advice = "people whose key is not known yet get 503: look at auth.oidc.issuer, and whether this machine reaches it"
		} else {
			result.OK, result.Detail = true, fmt.Sprintf("%s publishes %d keys", s.Issuer, n)
		}
		f.add(result)
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

// unknownServers returns the servers that grants name and that are not configured.
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
