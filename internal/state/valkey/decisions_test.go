package valkey_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"mcpproxy/internal/eventually"
	"mcpproxy/internal/state"
	"mcpproxy/internal/state/statetest"
	"mcpproxy/internal/state/valkey"
	"mcpproxy/internal/state/valkey/valkeytest"
)

// settle waits until the server, whose data is new, accepts decisions.
func settle(t *testing.T, s *valkey.Store) {
	t.Helper()
	eventually.TrueWithin(t, 10*time.Second, "decisions are accepted", func() bool {
		_, err := s.Decide(t.Context())
		return err == nil
	})
}

func TestDecisionsKeepTheContract(t *testing.T) {
	t.Parallel()
	statetest.RunDecisions(t, func(t *testing.T) statetest.Replicas {
		server := valkeytest.Start(t, false)
		a, b := replica(t, server, "http://a"), replica(t, server, "http://b")
		settle(t, a)
		return statetest.Replicas{A: a, B: b, Forget: func() {
			server.Stop()
			server.Start()
			beat(t, a)
			beat(t, b)
			if _, err := b.Decide(t.Context(), state.Decision{Kind: "early"}); !errors.Is(err, state.ErrUnsettled) {
				t.Errorf("a decision before the others could restore theirs gave %v", err)
			}
			settle(t, a)
		}}
	})
}

func TestEveryCommandTellsTheVersionOfTheDecisions(t *testing.T) {
	t.Parallel()
	server := valkeytest.Start(t, true)
	a, b := replica(t, server, "http://a"), replica(t, server, "http://b")
	settle(t, a)
	_, err := a.Decide(t.Context(), state.Decision{Kind: "approval", Name: "a tool of note", Content: []byte("yes indeed")})
	if err != nil {
		t.Fatal(err)
	}
	_, version, err := b.All(t.Context())
	if err != nil || version == "" {
		t.Fatalf("the version is %q, %v", version, err)
	}
	if now, _, err := b.Beat(t.Context()); err != nil || now.Decided != version {
		t.Errorf("a heartbeat tells the version %q, %v; want %q", now.Decided, err, version)
	}
	if c := claim(t, b, "ci", 0); c.Decided != version {
		t.Errorf("a claim tells the version %q, want %q", c.Decided, version)
	}
	if c := claim(t, a, "ci", 0); c.Standing != valkey.Other || c.Decided != version {
		t.Errorf("a claim of another replica's principal gave %+v", c)
	}
	kept := server.Kept(t)
	for _, secret := range []string{"a tool of note", "yes indeed"} {
		if bytes.Contains(kept, []byte(secret)) {
			t.Errorf("the server keeps %q in clear", secret)
		}
	}
}
