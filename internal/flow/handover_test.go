package flow_test

import (
	"bytes"
	"maps"
	"testing"

	"mcpproxy"
)

// handedOver saves the sessions of alice and loads them into another tracker.
func handedOver(t *testing.T, from, to *agent) {
	t.Helper()
	saved := map[string][]byte{}
	for key := range from.tracker.Versions("alice") {
		var body bytes.Buffer
		if _, err := from.tracker.SaveSession(&body, "alice", key); err != nil {
			t.Fatal(err)
		}
		saved[key] = body.Bytes()
	}
	if err := to.tracker.Take("alice", saved); err != nil {
		t.Fatal(err)
	}
}

func TestAPrincipalsSessionsContinueInAnotherProcess(t *testing.T) {
	a, b := newAgent(t, limits), newAgent(t, limits)
	a = a.in("mcp:alice:1", "alice")
	a.reads("vault", internal, content("token "+gitToken))
	a.reads("wiki", internal, content(prose))
	a.in("mcp:bob:1", "bob").reads("files", internal, content(config))
	b.in("mcp:alice:old", "alice").reads("wiki", internal, content("A page that was read here before, long ago."))
	handedOver(t, a, b)
	for name, c := range map[string]struct {
		session, text string
		want          mcpproxy.RiskLevel
	}{
		"a text":                         {"mcp:alice:1", prose, mcpproxy.RiskMedium},
		"a secret":                       {"mcp:alice:1", gitToken, mcpproxy.RiskCritical},
		"a text, from a later session":   {"mcp:alice:2", prose, mcpproxy.RiskMedium},
		"a secret, from a later session": {"mcp:alice:3", gitToken, mcpproxy.RiskCritical},
	} {
		if edges := b.in(c.session, "alice").sends("slack", external, says(c.text)); len(edges) == 0 || edges[0].Risk != c.want {
			t.Errorf("%s: %+v", name, edges)
		}
	}
	if _, ok := b.tracker.Versions("alice")["mcp:alice:old"]; ok {
		t.Error("a session that ended elsewhere is still here")
	}
	if edges := b.in("mcp:bob:1", "bob").sends("slack", external, says(config)); len(edges) > 0 {
		t.Errorf("another principal's sessions were taken too: %+v", edges)
	}
}

func TestAVersionChangesWithEveryChangeOfASession(t *testing.T) {
	a := newAgent(t, limits).in("mcp:alice:1", "alice")
	a.reads("vault", internal, content("token "+gitToken))
	before := a.tracker.Versions("alice")
	if len(before) != 2 {
		t.Fatalf("alice has the sessions %v; want one and the bucket", before)
	}
	if again := a.tracker.Versions("alice"); !maps.Equal(again, before) {
		t.Errorf("Versions changes %v to %v", before, again)
	}
	a.sends("slack", external, says("nothing in particular"))
	after := a.tracker.Versions("alice")
	for key, version := range before {
		if after[key] == version {
			t.Errorf("a call left the version of %s at %d", key, version)
		}
	}
}

func TestSessionsOfAnotherPrincipalAreNotTaken(t *testing.T) {
	a, b := newAgent(t, limits), newAgent(t, limits)
	a = a.in("mcp:alice:1", "alice")
	a.reads("wiki", internal, content(prose))
	var body bytes.Buffer
	if _, err := a.tracker.SaveSession(&body, "bob", "mcp:alice:1"); err == nil {
		t.Error("a session is saved as another principal's")
	}
	if _, err := a.tracker.SaveSession(&body, "alice", "mcp:alice:1"); err != nil {
		t.Fatal(err)
	}
	for name, saved := range map[string]map[string][]byte{
		"under a key of another principal":        {"mcp:bob:1": body.Bytes()},
		"of a principal with a longer name":       {"mcp:alice2:1": body.Bytes()},
		"under another key of the same principal": {"mcp:alice:2": body.Bytes()},
		"cut off": {"mcp:alice:1": body.Bytes()[:body.Len()/2]},
	} {
		if err := b.tracker.Take("alice", saved); err == nil {
			t.Errorf("a session %s is taken", name)
		}
	}
}
