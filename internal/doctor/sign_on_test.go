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
	remote.Down(true)
	if found = look(); found.OK || !strings.Contains(found.Checks[0].Detail, "502") || found.Checks[0].Advice == "" {
		t.Errorf("of a provider that is down it says %+v", found.Checks)
	}
}
