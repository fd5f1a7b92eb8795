package codemode

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcpproxy"
)

func held(n int, life time.Duration) kept {
	return kept{value: json.RawMessage(fmt.Sprintf("%0*d", n, 1)), expires: time.Now().Add(life)}
}

func TestTheStashesOfAllSessionsShareOneBound(t *testing.T) {
	l := &Limits{StashKeys: 10, StashValue: 100, StashTotal: 100}
	var s stashes
	for _, c := range []struct {
		scope string
		bytes int
		fits  bool
	}{
		{"a\x00one", 76, false}, // more than three quarters
		{"a\x00one", 40, true},
		{"a\x00two", 36, false}, // of all its sessions together
		{"a\x00two", 35, true},
		{"a\x00two", 1, true},   // in the place of the other
		{"b\x00one", 45, false}, // of the 59 that are left
		{"b\x00one", 44, true},
		{"a\x00two", 2, true},
		{"c\x00one", 11, false}, // of 14
		{"c\x00one", 10, true},
	} {
		err := s.put(c.scope, "k", held(c.bytes, time.Hour), l)
		if (err == nil) != c.fits || err != nil && mcpproxy.CodeOf(err) != mcpproxy.CodeTooLarge {
			t.Errorf("%d bytes for %q: %v", c.bytes, c.scope, err)
		}
	}
	s.delete("a\x00one", "k")
	if err := s.put("b\x00two", "k", held(20, time.Hour), l); err != nil {
		t.Errorf("after another has deleted: %v", err)
	}
	if err := s.put("a\x00one", "k", held(40, time.Hour), l); mcpproxy.CodeOf(err) != mcpproxy.CodeTooLarge {
		t.Errorf("what others have taken since: %v", err)
	}
	if err := s.put("b\x00two", "k", held(10, time.Hour), l); err != nil {
		t.Errorf("a smaller value in its place: %v", err)
	}
}

// However much one client stores, in however many sessions, other clients find room.
func TestNobodyTakesTheWholeStash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &Limits{StashKeys: 16, StashValue: 1 << 20, StashTotal: 1 << 20}
		var s stashes
		size, sessions := rapid.IntRange(1, 1<<18).Draw(t, "size"), rapid.IntRange(1, maxScopes+200).Draw(t, "sessions")
		greedy, value := []string{"g", "h"}[:rapid.IntRange(1, 2).Draw(t, "clients")], held(size, time.Hour)
		for i := range maxScopes + 200 {
			_ = s.put(scope(greedy[i%len(greedy)], fmt.Sprint(i%sessions)), fmt.Sprint(i), value, l)
		}
		if err := s.put(scope("modest", "one"), "k", held(1000, time.Hour), l); err != nil {
			t.Fatal(err)
		}
	})
}

// The values of a session that never returns take up room only until they expire.
func TestWhatIsOutOfTimeMakesRoom(t *testing.T) {
	l := &Limits{StashKeys: 10, StashValue: 100, StashTotal: 1 << 20}
	var s stashes
	for i := range maxScopes - 1 { // one client alone cannot get the last place
		if err := s.put(fmt.Sprint(i), "a", held(10, -time.Second), l); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.put("new", "a", held(10, time.Hour), l); err != nil {
		t.Errorf("beside %d sessions whose values are out of time: %v", maxScopes-1, err)
	}
	if len(s.scopes) != 1 || s.all != (share{10, 1}) {
		t.Errorf("%d sessions with %+v are left", len(s.scopes), s.all)
	}
	for i := range maxScopes - 2 {
		_ = s.put(fmt.Sprint(i), "a", held(10, time.Hour), l)
	}
	if err := s.put("newer", "a", held(10, time.Hour), l); mcpproxy.CodeOf(err) != mcpproxy.CodeTooLarge {
		t.Errorf("one session too many: %v", err)
	}
}

// The counted size always equals the size of the stored values.
func TestTheBytesOfTheStashesAreCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &Limits{StashKeys: 3, StashValue: 50, StashTotal: 200}
		var s stashes
		name, key := rapid.SampledFrom(
			[]string{"p\x00a", "p\x00b", "q\x00a"},
		), rapid.SampledFrom(
			[]string{"x", "y", "z", "w"},
		)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0, 1:
				_ = s.put(
					name.Draw(t, "scope"),
					key.Draw(t, "key"),
					held(
						rapid.IntRange(1, 60).Draw(t, "size"),
						time.Duration(rapid.IntRange(-1, 1).Draw(t, "life"))*time.Hour,
					),
					l,
				)
			case 2:
				s.delete(name.Draw(t, "scope"), key.Draw(t, "key"))
			case 3:
				s.forget(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "session"))
			case 4:
				s.keys(name.Draw(t, "scope"), "")
			}
			sum, of := share{}, map[string]share{}
			for scope, values := range s.scopes {
				if len(values) == 0 {
					t.Fatalf("%q is kept for nothing", scope)
				}
				own := of[owner(scope)]
				own.scopes++
				sum.scopes++
				for _, k := range values {
					own.bytes += len(k.value)
					sum.bytes += len(k.value)
				}
				of[owner(scope)] = own
			}
			if sum != s.all || sum.bytes > l.StashTotal || !maps.Equal(of, s.of) {
				t.Fatalf("%+v %v is kept, %+v %v is counted", sum, of, s.all, s.of)
			}
		}
	})
}

func TestAScriptFindsNothingThatOneWithOtherGrantsHasLeft(t *testing.T) {
	stash := func(grants ...string) string {
		return stashOf(&mcpproxy.Call{Principal: "oidc/ann", FlowSession: "s", Grants: grants})
	}
	broad, narrow := stash("oidc:admins", "oidc:readers"), stash("oidc:readers")
	if broad == narrow || narrow == stash() {
		t.Error("callers with other grants share a stash")
	}
	if broad != stash("oidc:admins", "oidc:readers") {
		t.Error("a caller does not find the stash again")
	}
	for _, name := range []string{broad, narrow} {
		if owner(name) != "oidc/ann" || !strings.HasSuffix(name, "\x00s") {
			t.Errorf("%q belongs to %q, or does not end with its session", name, owner(name))
		}
	}
}
