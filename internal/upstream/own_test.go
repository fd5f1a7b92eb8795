package upstream_test

import (
	"sync"
	"testing"
	"time"

	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// own opens the link kept under key.
func own(t *testing.T, s *upstream.Server, key string) *upstream.Link {
	t.Helper()
	link, err := s.Own(t.Context(), key, upstream.Hello([]byte(`{"sampling":{}}`), wire.Stateful), func(*upstream.Link, *wire.Message) {})
	if err != nil {
		t.Error(err)
		return nil
	}
	return link
}

// pidOf asks for the process at the other end.
func pidOf(t *testing.T, l *upstream.Link) (pid int) {
	t.Helper()
	resp, err := l.Call(t.Context(), tool("report", "{}"), nil)
	var got struct{ Pid int }
	decode(t, resp, err, &got)
	return got.Pid
}

func TestALinkOfItsOwn(t *testing.T) {
	t.Parallel()
	s, _ := start(t, stdioSpec(t, "plain"))
	shared, err := s.Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a, again, b := own(t, s, "a"), own(t, s, "a"), own(t, s, "b")
	if t.Failed() {
		return
	}
	if a != again {
		t.Error("one key has two links")
	}
	if p, q, r := pidOf(t, a), pidOf(t, b), pidOf(t, shared); p == q || q == r || p == r {
		t.Errorf("links of their own share processes %d, %d, %d", p, q, r)
	}
	s.Drop("a")
	select {
	case <-a.Done():
	case <-time.After(patience):
		t.Error("a dropped link is open")
	}
	if own(t, s, "a") == a {
		t.Error("a dropped link came back")
	}
	works(t, s)
}

// Two requests of one client may come at the same time.
func TestOneKeyHasOneLinkEvenWhenAskedForAtOnce(t *testing.T) {
	t.Parallel()
	s, _ := start(t, stdioSpec(t, "plain"))
	links := make([]*upstream.Link, 4)
	var wg sync.WaitGroup
	for i := range links {
		wg.Go(func() { links[i] = own(t, s, "a") })
	}
	wg.Wait()
	for _, l := range links {
		if l != links[0] {
			t.Fatal("one key has two links")
		}
	}
}
