package gateway_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
	"mcpproxy/internal/auth"
	"mcpproxy/internal/auth/oidc"
	"mcpproxy/internal/auth/oidc/oidctest"
	"mcpproxy/internal/token"
)

// newFederated returns a rig whose gateway admits people of an OpenID provider, as the daemon wires
// it. Readers may read everything, chatters may use the server chat.
func newFederated(t *testing.T) (*keyed, *oidctest.Provider) {
	t.Helper()
	k, remote := newKeyed(t, true), oidctest.New(t)
	d := auth.New(func() string { return "key" }, k.tokens)
	d.UseFederation(&auth.Federation{
		Provider: oidc.New(oidc.Settings{
			Issuer:         remote.Issuer,
			Audience:       oidctest.Audience,
			PrincipalClaim: "sub",
			GroupsClaim:    "groups",
		}),
		Grants: map[string]token.Scope{
			auth.GroupGrant("readers"):  {Operations: []mcpproxy.Operation{mcpproxy.Read}},
			auth.GroupGrant("chatters"): {Servers: []string{"chat"}},
		},
	})
	k.gateway.UseAuth(d)
	s := settings(tables())
	s.Tables.Operations = nil
	s.Scope = func(c *mcpproxy.Call, op mcpproxy.Operation) string { return d.Granted(c.Grants).Refuses(c, op) }
	s.Operation = func(_ string, grants []string, op mcpproxy.Operation) bool { return d.Granted(grants).Permits(op) }
	k.gate.Configure(s)
	return k, remote
}

func inGroups(remote *oidctest.Provider, groups ...string) string {
	return remote.Token(map[string]any{"groups": groups})
}

func TestAPersonUsesWhatTheGroupsOpen(t *testing.T) {
	k, remote := newFederated(t)
	post := `{"name":"chat__post_message","arguments":{"text":"hello"}}`
	remove := `{"name":"notes__delete_note","arguments":{"id":"1"}}`
	for name, c := range map[string]struct {
		groups []string
		tools  []string
		posts  bool
	}{
		"readers":  {[]string{"readers"}, []string{"notes__echo", "notes__get_report"}, false},
		"chatters": {[]string{"chatters"}, []string{"chat__post_message"}, true},
		"both":     {[]string{"readers", "chatters"}, []string{"chat__post_message", "notes__echo", "notes__get_report"}, true},
	} {
		for era, a := range k.as(inGroups(remote, c.groups...), "/mcp/all") {
			m, _ := a.call("1", "tools/list", `{}`).response()
			if diff := cmp.Diff(c.tools, listed(m, "tools", "name")); diff != "" {
				t.Errorf("%s, %s: %s", name, era, diff)
			}
			m, _ = a.call("2", "tools/call", remove).response()
			k.refused(t, m, "oidc/ann")
			if m, _ = a.call("3", "tools/call", post).response(); c.posts {
				if m.Result == nil || strings.Contains(string(m.Raw), "token.scope") {
					t.Errorf("%s, %s: the call is answered with %s", name, era, m.Raw)
				}
				all := k.recorded()
				if last := all[len(all)-1]; last.Principal != "oidc/ann" {
					t.Errorf("%s, %s: the record names %q", name, era, last.Principal)
				}
				continue
			}
			k.refused(t, m, "oidc/ann")
		}
	}
}

func TestASessionDoesNotOutliveTheGroupsThatItWasOpenedWith(t *testing.T) {
	k, remote := newFederated(t)
	a := k.as(inGroups(remote, "readers", "chatters"), "/mcp/all")["stateful"]
	if m, _ := a.call("1", "tools/list", `{}`).response(); len(listed(m, "tools", "name")) != 3 {
		t.Fatalf("the list is %s", m.Raw)
	}
	a.key = inGroups(remote, "chatters", "readers") // a fresh token of the same person
	if m, _ := a.call("2", "tools/list", `{}`).response(); len(listed(m, "tools", "name")) != 3 {
		t.Errorf("with a fresh token the list is %s", m.Raw)
	}
	for name, key := range map[string]string{
		"fewer groups":   inGroups(remote, "readers"),
		"another person": remote.Token(map[string]any{"sub": "eve", "groups": []string{"readers", "chatters"}}),
		"the owner":      "key",
	} {
		a.key = key
		if got := a.call("3", "tools/list", `{}`).resp.StatusCode; got != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", name, got)
		}
	}
}

func TestTheRecordsOfAPersonNameThePersonAlone(t *testing.T) {
	k, remote := newFederated(t)
	a := k.as(inGroups(remote, "readers"), "/mcp/all")["stateless"]
	a.call("1", "tools/call", `{"name":"notes__echo","arguments":{"text":"x"}}`).response()
	var names []string
	for _, r := range k.recorded() {
		names = append(names, r.Principal)
	}
	if names = slices.Compact(names); !slices.Equal(names, []string{"oidc/ann"}) {
		t.Errorf("the records name %q", names)
	}
}
