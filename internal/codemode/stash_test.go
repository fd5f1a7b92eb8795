package codemode

import (
	"encoding/json"
	"fmt"
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
	for name, err := range map[string]error{"one": s.put("one", "a", held(60, time.Hour), l), "two": s.put("two", "a", held(40, time.Hour), l)} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.put("three", "a", held(1, time.Hour), l); mcpproxy.CodeOf(err) != mcpproxy.CodeTooLarge {
		t.Errorf("one byte more: %v", err)
	}
	if err := s.put("two", "a", held(30, time.Hour), l); err != nil {
		t.Errorf("a smaller value in its place: %v", err)
	}
	s.delete("one", "a")
	if err := s.put("three", "a", held(70, time.Hour), l); err != nil {
		t.Errorf("after one was deleted: %v", err)
	}
}

// A session that never comes back takes nobody's place for longer than its values
// live.
func TestWhatIsOutOfTimeMakesRoom(t *testing.T) {
	l := &Limits{StashKeys: 10, StashValue: 100, StashTotal: 1 << 20}
	var s stashes
	for i := range maxScopes {
		if err := s.put(fmt.Sprint(i), "a", held(10, -time.Second), l); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.put("new", "a", held(10, time.Hour), l); err != nil {
		t.Errorf("beside %d sessions whose values are out of time: %v", maxScopes, err)
	}
	if len(s.scopes) != 1 || s.bytes != 10 {
		t.Errorf("%d sessions with %d bytes are left", len(s.scopes), s.bytes)
	}
	for i := range maxScopes - 1 {
		_ = s.put(fmt.Sprint(i), "a", held(10, time.Hour), l)
	}
	if err := s.put("newer", "a", held(10, time.Hour), l); mcpproxy.CodeOf(err) != mcpproxy.CodeTooLarge {
		t.Errorf("one session too many: %v", err)
	}
}

// What is counted is what is kept, whatever happens.
func TestTheBytesOfTheStashesAreCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &Limits{StashKeys: 3, StashValue: 50, StashTotal: 200}
		var s stashes
		name, key := rapid.SampledFrom([]string{"p\x00a", "p\x00b", "q\x00a"}), rapid.SampledFrom([]string{"x", "y", "z", "w"})
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0, 1:
				_ = s.put(name.Draw(t, "scope"), key.Draw(t, "key"), held(rapid.IntRange(1, 60).Draw(t, "size"), time.Duration(rapid.IntRange(-1, 1).Draw(t, "life"))*time.Hour), l)
			case 2:
				s.delete(name.Draw(t, "scope"), key.Draw(t, "key"))
			case 3:
				s.forget(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "session"))
			case 4:
				s.keys(name.Draw(t, "scope"), "")
			}
			sum := 0
			for scope, values := range s.scopes {
				if len(values) == 0 {
					t.Fatalf("%q is kept for nothing", scope)
				}
				for _, k := range values {
					sum += len(k.value)
				}
			}
			if sum != s.bytes || sum > l.StashTotal {
				t.Fatalf("%d bytes are kept, %d are counted", sum, s.bytes)
			}
		}
	})
}
