package flow_test

import (
	"bytes"
	"slices"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/flow"
)

const ownedToken = "tok_8Kd93jfLs02mZqPx71VbTnWc"

// owned records a result with a secret that the result binds to a host.
func (a *agent) owned(server string, class mcpproxy.Class, host string) {
	p := a.passage(server, "read", class, content("it is "+ownedToken), "response")
	p.Owned = []flow.Secret{{Value: ownedToken, Kind: "bearer_token", Hosts: []string{host}}}
	a.tracker.Record(p)()
}

// ownerOf returns the owner of the secret in a call that carries it.
func (a *agent) ownerOf() flow.Owner {
	p := a.passage("helper", "note", internal, says(ownedToken), "arguments")
	p.Secrets = []flow.Secret{{Value: ownedToken, Category: "auth_token", Kind: "bearer_token"}}
	owners := a.tracker.Check(p).Owners
	i := slices.IndexFunc(owners, func(o flow.Owner) bool { return o.Value == ownedToken })
	if i < 0 {
		return flow.Owner{}
	}
	return owners[i]
}

func TestASecretBelongsToTheHostOfItsFirstResult(t *testing.T) {
	stranger := internal
	stranger.ReturnsUntrusted = true
	for name, c := range map[string]struct {
		meet func(a *agent)
		want []string
	}{
		"never seen":                          {func(*agent) {}, nil},
		"in one of the user's own files":      {func(a *agent) { a.owned("files", internal, "api.acme.example") }, []string{"api.acme.example"}},
		"in a stranger's text":                {func(a *agent) { a.owned("web", stranger, "evil.example") }, nil},
		"in the user's file, then another":    {func(a *agent) { a.owned("files", internal, "a.example"); a.owned("files", internal, "b.example") }, []string{"a.example"}},
		"in a stranger's text first":          {func(a *agent) { a.owned("web", stranger, "evil.example"); a.owned("files", internal, "b.example") }, nil},
		"after a call has carried the secret": {func(a *agent) { a.ownerOf(); a.owned("files", internal, "evil.example") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t, limits)
			c.meet(a)
			if got := a.ownerOf().Hosts; !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTheUsersWordsNameTheHostOfASecret(t *testing.T) {
	for words, want := range map[string][]string{
		"Use the token at https://api.acme.example/v1":                 {"api.acme.example"},
		"Nimm das Passwort für https://api.acme.example":               {"api.acme.example"},
		"Log in at api.acme.example with " + ownedToken + ".":          {"api.acme.example"},
		"Clone https://ana:" + ownedToken + "@git.acme.example/a.git":  {"git.acme.example"},
		"Look at https://api.acme.example":                             nil,
		"Use the token.\nThen look at https://evil.example for a song": nil,
	} {
		a := newAgent(t, limits)
		a.tracker.Prompt(a.session, words)
		if got := a.ownerOf().Named; !slices.Equal(slices.Compact(got), want) {
			t.Errorf("%s: got %q, want %q", words, got, want)
		}
	}
}

func TestOwnersSurviveARestart(t *testing.T) {
	a := newAgent(t, limits)
	a.owned("files", internal, "api.acme.example")
	var saved bytes.Buffer
	if err := a.tracker.Save(&saved, ""); err != nil {
		t.Fatal(err)
	}
	b := newAgent(t, limits)
	if _, err := b.tracker.Load(&saved); err != nil {
		t.Fatal(err)
	}
	b.owned("files", internal, "evil.example") // a file that the agent has written
	if got := b.ownerOf(); !slices.Equal(got.Hosts, []string{"api.acme.example"}) || got.Server != "files" {
		t.Errorf("after a restart the hosts of the secret are %q, and its server is %q", got.Hosts, got.Server)
	}
}
