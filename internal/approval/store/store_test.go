package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/approval/store"
)

// boundary returns the boundary of messages to a channel.
func boundary(channel string) mcpproxy.Boundary {
	return mcpproxy.Boundary{
		Principal:    "local",
		Server:       "chat",
		Tool:         "post_message",
		Effect:       mcpproxy.EffectSend,
		Audience:     mcpproxy.AudienceNamed,
		Destinations: []string{"channel " + channel},
		Rules:        []string{"security.flow_policy.internal_to_external"},
	}
}

func open(t *testing.T, path string, changed func(store.Change)) *store.Store {
	t.Helper()
	s, err := store.Open(path, changed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestARuleSurvivesARestartUntilItIsRevoked(t *testing.T) {
	path := filepath.Join(t.TempDir(), store.File)
	var events []string
	heard := func(c store.Change) { events = append(events, string(c.Event)+" by "+c.By) }
	s := open(t, path, heard)
	id, err := s.Keep(boundary("#x"), "01REQUEST", "owner")
	if err != nil {
		t.Fatal(err)
	}
	if same, err := s.Keep(boundary("#x"), "01OTHER", "owner"); err != nil || same != id {
		t.Errorf("the same boundary has two rules: %s, %v", same, err)
	}
	s = open(t, path, heard)
	if got, ok := s.Allows(boundary("#x")); !ok || got != id {
		t.Errorf("after a restart: %q, %t", got, ok)
	}
	if all := s.Rules(); len(all) != 1 || all[0].Request != "01REQUEST" || all[0].By != "owner" || all[0].Since.IsZero() {
		t.Errorf("%+v", all)
	}
	if _, err := s.Revoke(id, "owner"); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Allows(boundary("#x")); ok {
		t.Error("it holds after it was revoked")
	}
	if _, err := s.Revoke(id, "owner"); !errors.Is(err, store.ErrUnknown) {
		t.Errorf("revoked twice: %v", err)
	}
	if _, ok := open(t, path, nil).Allows(boundary("#x")); ok {
		t.Error("it holds again after a restart")
	}
	if got := strings.Join(events, ", "); got != "kept by owner, revoked by owner" {
		t.Errorf("heard: %s", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestARuleHoldsForItsBoundaryAlone(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), store.File), nil)
	if _, err := s.Keep(boundary("#x"), "", "owner"); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*mcpproxy.Boundary){
		"another principal":         func(b *mcpproxy.Boundary) { b.Principal = "ci" },
		"another server":            func(b *mcpproxy.Boundary) { b.Server = "mail" },
		"another tool":              func(b *mcpproxy.Boundary) { b.Tool = "delete_message" },
		"another effect":            func(b *mcpproxy.Boundary) { b.Effect = mcpproxy.EffectDelete },
		"another audience":          func(b *mcpproxy.Boundary) { b.Audience = mcpproxy.AudiencePublic },
		"another destination":       func(b *mcpproxy.Boundary) { b.Destinations = []string{"channel #y"} },
		"one more destination":      func(b *mcpproxy.Boundary) { b.Destinations = append(b.Destinations, "channel #y") },
		"no destination":            func(b *mcpproxy.Boundary) { b.Destinations = nil },
		"data":                      func(b *mcpproxy.Boundary) { b.Data = []string{"email"} },
		"another rule that asks":    func(b *mcpproxy.Boundary) { b.Rules = []string{"security.flow_policy.session_taint"} },
		"one more rule that asks":   func(b *mcpproxy.Boundary) { b.Rules = append(b.Rules, "security.flow_policy.session_taint") },
		"one call alone":            func(b *mcpproxy.Boundary) { b.Call = "digest" },
		"what cannot be remembered": func(b *mcpproxy.Boundary) { b.Once = "it carries a secret" },
	} {
		b := boundary("#x")
		change(&b)
		if _, ok := s.Allows(b); ok {
			t.Errorf("it lets through a call of %s", name)
		}
	}
	shown := boundary("#x")
	shown.Run, shown.Moves = "ls", []mcpproxy.Movement{{What: "a", To: "b"}}
	if _, ok := s.Allows(shown); !ok {
		t.Error("what is only shown counts")
	}
}

func TestWhatCannotBeRememberedIsNotKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), store.File)
	s := open(t, path, nil)
	b := boundary("#x")
	b.Once = "it carries a secret"
	if _, err := s.Keep(b, "", "owner"); !errors.Is(err, store.ErrOnce) || len(s.Rules()) > 0 {
		t.Errorf("%v, %+v", err, s.Rules())
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file is there: %v", err)
	}
}

func TestAFileThatCannotBeUsedIsAnError(t *testing.T) {
	const rule = `{"id":"1","boundary":{"principal":"p","tool_name":"t","rules":["r"]},"by":"o","since":"2026-11-24T00:00:00Z"}`
	for name, raw := range map[string]string{
		"no JSON":                   `{`,
		"another version":           `{"version":2,"rules":[]}`,
		"an unknown member":         `{"version":1,"rules":[],"more":1}`,
		"a rule without a tool":     `{"version":1,"rules":[{"id":"1","boundary":{"principal":"p","tool_name":"","rules":["r"]},"by":"o","since":"2026-11-24T00:00:00Z"}]}`,
		"a rule that nothing asks":  `{"version":1,"rules":[{"id":"1","boundary":{"principal":"p","tool_name":"t","rules":[]},"by":"o","since":"2026-11-24T00:00:00Z"}]}`,
		"a rule for one call alone": `{"version":1,"rules":[{"id":"1","boundary":{"principal":"p","tool_name":"t","rules":["r"],"once":"a secret"},"by":"o","since":"2026-11-24T00:00:00Z"}]}`,
		"a rule twice":              `{"version":1,"rules":[` + rule + `,` + rule + `]}`,
	} {
		path := filepath.Join(t.TempDir(), store.File)
		if err := os.WriteFile(path, []byte(raw), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Open(path, nil); err == nil || !strings.Contains(err.Error(), "cannot be used") {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := filepath.Join(t.TempDir(), store.File)
	if err := os.WriteFile(path, []byte(`{"version":1,"rules":[`+rule+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := len(open(t, path, nil).Rules()); n != 1 {
		t.Errorf("%d rules", n)
	}
}
