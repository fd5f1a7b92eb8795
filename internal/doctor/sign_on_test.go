package doctor

import (
	"strings"
	"testing"

	"mcpproxy/internal/auth/oidc/oidctest"
	"mcpproxy/internal/config"
)

func TestTheIdentityProviderIsAskedForItsKeys(t *testing.T) {
	remote := oidctest.New(t)
	c := config.Default()
	look := func() *Checkup {
		found := &Checkup{OK: true}
		checkSignOn(t.Context(), Installation{}, c, found)
		return found
	}
	if found := look(); len(found.Checks) != 0 {
		t.Errorf("without a provider it says %+v", found.Checks)
	}
	c.Servers = config.Servers{{Name: "github"}}
	c.Auth.OIDC.Issuer, c.Auth.OIDC.Audience = remote.Issuer, oidctest.Audience
	c.Auth.OIDC.Groups = map[string]config.Grant{"dev": {Servers: []string{"github"}, Tools: []string{"gitlab:list"}}}
	found := look()
	if !found.OK || len(found.Checks) != 2 || !strings.Contains(found.Checks[0].Detail, "publishes 1 keys") ||
		!strings.Contains(found.Checks[1].Detail, "gitlab") {
		t.Errorf("of a provider that answers it says %+v", found.Checks)
	}
	c.Auth.OIDC.Page = config.OIDCPage{URL: "http://127.0.0.1:8080/", ClientID: "page", Owners: []string{"admins"}}
	for name, one := range map[string]struct {
		change       func()
		ok           bool
		detail, says string
	}{
		"a page on this machine":      {func() {}, true, "back to http://127.0.0.1:8080/ui/login", ""},
		"a page in the open, and TLS": {func() { c.TLS.Local = true }, false, "is not encrypted", "write https"},
		"a page behind a reverse proxy": {
			func() { c.TLS.Local, c.Auth.OIDC.Page.URL = false, "https://mcp.acme.example" },
			true, "https://mcp.acme.example/ui/login", "a reverse proxy",
		},
		"a provider without a login": {
			func() { remote.About(map[string]any{"token_endpoint": nil}) }, false, "token_endpoint", "nobody can log in",
		},
	} {
		before := *c
		one.change()
		found := look()
		*c = before
		remote.About(nil)
		if len(found.Checks) != 3 || found.OK != one.ok || !strings.Contains(found.Checks[1].Detail, one.detail) ||
			!strings.Contains(found.Checks[1].Advice, one.says) {
			t.Errorf("of %s it says %+v", name, found.Checks)
		}
	}
	c.Auth.OIDC.Page = config.OIDCPage{}
	remote.Down(true)
	if found = look(); found.OK || !strings.Contains(found.Checks[0].Detail, "502") || found.Checks[0].Advice == "" {
		t.Errorf("of a provider that is down it says %+v", found.Checks)
	}
}
