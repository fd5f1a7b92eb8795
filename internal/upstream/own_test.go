package upstream_test

import (
	"sync"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// own opens the link of a session and releases it.
func own(t *testing.T, s *upstream.Server, key string) *upstream.Link {
	t.Helper()
	link, release, err := claim(t, s, key)
	if err != nil {
		t.Error(err)
		return nil
	}
	release()
	return link
}

// claim opens the link of a session and keeps it in use.
func claim(t *testing.T, s *upstream.Server, key string) (*upstream.Link, func(), error) {
	owner := upstream.Owner{Principal: "p", Session: key}
	hello := upstream.Hello([]byte(`{"sampling":{}}`), wire.Stateful)
	return s.Own(t.Context(), owner, hello, func(*upstream.Link, *wire.Message) {})
}

// pidOf returns the process id that the server reports.
func pidOf(t *testing.T, l *upstream.Link) (pid int) {
	t.Helper()
	resp, err := l.Call(t.Context(), tool("report", "{}"), upstream.CallOptions{})
	var got struct{ Pid int }
	decode(t, resp, err, &got)
	return got.Pid
}

func TestEachSessionHasItsOwnLink(t *testing.T) {
	t.Parallel()
	s, _ := start(t, stdioSpec(t, "plain"))
	shared, err := s.Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a, again := own(t, s, "a"), own(t, s, "a")
	b := own(t, s, "b")
	if t.Failed() {
		return
	}
	if a != again {
		t.Error("one key has two links")
	}
	p, q := pidOf(t, a), pidOf(t, b)
	if r := pidOf(t, shared); p == q || q == r || p == r {
		t.Errorf("links of their own share processes %d, %d, %d", p, q, r)
	}
	s.Drop(upstream.Owner{Principal: "p", Session: "a"})
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

// Two requests of one client may arrive at the same time.
func TestConcurrentRequestsOfOneOwnerShareOneLink(t *testing.T) {
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

// A caller that has its link may have to wait for a slot before it makes its call.
func TestALinkInUseIsNotEvicted(t *testing.T) {
	t.Parallel()
	spec := stdioSpec(t, "plain")
	spec.MaxSessions = 2 // of which one principal may have one
	s, _ := start(t, spec)
	link, release, err := claim(t, s, "a")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := claim(t, s, "b"); mcpproxy.CodeOf(err) != mcpproxy.CodeRateLimit {
		t.Errorf("a second session gets %v", err)
	}
	pidOf(t, link)
	release()
	release() // a second call changes nothing
	if own(t, s, "b") == nil {
		t.Error("the link keeps its place when nobody uses it")
	}
	select {
	case <-link.Done():
	case <-time.After(patience):
		t.Error("the link that gave way is open")
	}
	_, release, err = claim(t, s, "b")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, _, err := claim(t, s, "c"); mcpproxy.CodeOf(err) != mcpproxy.CodeRateLimit {
		t.Errorf("beside a link that is used once more, a session gets %v", err)
	}
}
