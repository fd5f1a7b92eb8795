package trust_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy/internal/trust"
)

// Whatever a server does, in whatever order, and however often the program is restarted: a definition is only usable
// in a form that a person has approved.
func TestNoServerApprovesItself(t *testing.T) {
	forms := []string{honest, changed, poisoned, `{"name":"read"}`, `{"name":"read","title":"x"}`}
	rapid.Check(t, func(rt *rapid.T) {
		path := filepath.Join(t.TempDir(), rapid.StringMatching(`[a-z]{12}`).Draw(rt, "file"))
		var changes []trust.Change
		s := reopen(t, path, strict, &changes)
		now, approved := "", ""
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			switch rapid.IntRange(0, 7).Draw(rt, "step") {
			case 0, 1, 2:
				now = rapid.SampledFrom(forms).Draw(rt, "form")
				list(s, now)
			case 3:
				list(s)
			case 4: // sent to one client only
				now = rapid.SampledFrom(forms).Draw(rt, "form")
				s.Observe("files", trust.Tool, []json.RawMessage{json.RawMessage(now)}, false)
			case 5:
				s = reopen(t, path, strict, &changes)
			case 6:
				if i, ok := s.Item(read); ok {
					if _, err := s.Approve(read, "me", i.Fingerprint.CombinedHash); err != nil {
						rt.Fatal(err)
					}
					approved = string(i.Raw)
				}
			case 7:
				if _, ok := s.Item(read); ok && rapid.Bool().Draw(rt, "block") {
					if _, err := s.Block(read, "me", ""); err != nil {
						rt.Fatal(err)
					}
					approved = ""
				}
			}
			for _, form := range forms {
				_, shown := s.Shown(trust.Definition{Key: read, Raw: json.RawMessage(form)})
				if shown && !same(t, form, approved) {
					rt.Fatalf("%s is shown, %q was approved", form, approved)
				}
			}
			if i, ok := s.Item(read); ok && s.Held(call("read")) == "" && !same(t, string(i.Raw), approved) {
				rt.Fatalf("%s can be called, %q was approved", i.Raw, approved)
			}
		}
	})
}

func same(t *testing.T, a, b string) bool {
	t.Helper()
	if b == "" {
		return false
	}
	d, err := trust.Diff(json.RawMessage(a), json.RawMessage(b))
	if err != nil {
		t.Fatal(err)
	}
	return len(d) == 0
}

func TestTheStoreIsSafeForConcurrentUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t")
	s, err := trust.Open(path, strict, trust.Deps{Scan: objecting})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			for i := range 10 {
				list(s, fmt.Sprintf(`{"name":"read","description":"%d"}`, (n+i)%3))
				_, _ = s.Approve(read, "me", "")
				s.Held(call("read"))
				s.Offered("files", trust.Tool)
				s.Shown(trust.Definition{Key: read, Raw: json.RawMessage(`{"name":"read","description":"1"}`)})
				s.Items("")
				s.Count()
				_, _ = s.Baseline("", "me", true)
				s.Configure(strict)
			}
		})
	}
	wg.Wait()
	if _, err := trust.Open(path, strict, trust.Deps{}); err != nil {
		t.Error(err)
	}
}
