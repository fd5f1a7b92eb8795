package valkey

import (
	"testing"
	"time"

	"mcpproxy/internal/eventually"
	"mcpproxy/internal/state/valkey/valkeytest"
)

// A principal and its sessions live equally long, and a claim renews both as soon as less than Idle is left.
func TestAClaimRenewsTheLifeOfAPrincipal(t *testing.T) {
	t.Parallel()
	server := valkeytest.Start(t, false)
	const idle = time.Hour
	s, err := New(Options{
		URL:     server.URL(),
		Key:     "a key of the group, of no value at all",
		Address: "http://a",
		Idle:    idle,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if _, _, err := s.Beat(t.Context()); err != nil {
		t.Fatal(err)
	}
	c, err := s.Claim(t.Context(), "ci", 1) // 1: as if the replica had owned the principal before
	if err != nil || c.Epoch == 0 {
		t.Fatalf("the claim gave %+v, %v", c, err)
	}
	if _, err := s.Commit(t.Context(), "ci", c.Epoch, nil, Changes{Saved: map[string][]byte{"one": []byte("read")}}); err != nil {
		t.Fatal(err)
	}
	client, err := s.dial()
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{s.principal("ci"), s.principal("ci") + ":s"}
	left := func() (shortest, longest time.Duration) {
		t.Helper()
		shortest = 2 * idle
		for _, key := range keys {
			ms, err := client.Do(t.Context(), client.B().Pttl().Key(key).Build()).AsInt64()
			if err != nil {
				t.Fatal(err)
			}
			d := time.Duration(ms) * time.Millisecond
			shortest, longest = min(shortest, d), max(longest, d)
		}
		return shortest, longest
	}
	spend := func(d time.Duration) { // as if so much time had passed
		t.Helper()
		rest := idle + idle/renewals - d
		for _, key := range keys {
			if err := client.Do(t.Context(), client.B().Pexpire().Key(key).Milliseconds(rest.Milliseconds()).Build()).Error(); err != nil {
				t.Fatal(err)
			}
		}
	}
	claim := func() {
		t.Helper()
		eventually.TrueWithin(t, 5*time.Second, "a claim", func() bool {
			_, _, _ = s.Beat(t.Context())
			again, err := s.Claim(t.Context(), "ci", c.Epoch)
			return err == nil && again.Standing == Mine
		})
	}
	spend(30 * time.Second)
	claim()
	if _, most := left(); most > idle+idle/renewals-30*time.Second {
		t.Errorf("a claim after half a minute renews the life to %v", most)
	}
	spend(2 * time.Minute)
	claim()
	if least, _ := left(); least < idle {
		t.Errorf("after a claim, %v are left, want an hour at least", least)
	}
	spend(2 * time.Minute)
	if err := s.Lose(t.Context(), "ci"); err != nil {
		t.Fatal(err)
	}
	if least, _ := left(); least < idle {
		t.Errorf("after a loss, %v are left, want an hour at least", least)
	}
}
