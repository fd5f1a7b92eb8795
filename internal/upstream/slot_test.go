package upstream

import (
	"fmt"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// fullServer returns a server with at most eight links.
func fullServer(t *testing.T) *Server {
	t.Helper()
	s := newServer(Spec{Name: "s", MaxSessions: 8}, NewManager(func(*Server) {}, func(*Server, *wire.Message) {}))
	t.Cleanup(s.cancel)
	return s
}

// takes opens the given number of links for a principal, each with the given number of waiting calls.
func takes(s *Server, principal string, links, calls int) {
	for i := range links {
		l := newLink(s, func() {}, nil)
		l.transport = nobody{}
		for j := range calls {
			l.pending[fmt.Sprint(j)] = &call{done: make(chan struct{})}
		}
		a := &attempt{done: make(chan struct{}), link: l}
		close(a.done)
		s.links[Owner{Principal: principal, Session: fmt.Sprint(i)}] = &slot{attempt: a, used: time.Unix(int64(i), 0)}
	}
}

// has returns the number of links of a principal.
func has(s *Server, principal string) (n int) {
	for o := range s.links {
		if o.Principal == principal {
			n++
		}
	}
	return n
}

// shares returns the numbers of links of three principals.
func shares(s *Server) string {
	return fmt.Sprintf("a %d, b %d, c %d", has(s, "a"), has(s, "b"), has(s, "c"))
}

func TestALinkWithARunningCallIsNotEvicted(t *testing.T) {
	s := fullServer(t)
	takes(s, "a", 4, 1)
	takes(s, "b", 4, 1)
	for _, who := range []string{"a", "b", "c"} {
		if _, err := s.slot(Owner{Principal: who, Session: "more"}); mcpproxy.CodeOf(err) != mcpproxy.CodeRateLimit {
			t.Errorf("%s gets %v", who, err)
		}
	}
	takes(s, "b", 4, 0)
	if _, err := s.slot(Owner{Principal: "c", Session: "more"}); err != nil || shares(s) != "a 4, b 3, c 1" {
		t.Errorf("%v; %s", err, shares(s))
	}
}

func TestAPrincipalWithManyLinksLosesItsOwnFirst(t *testing.T) {
	s := fullServer(t)
	takes(s, "quiet", 1, 0)
	takes(s, "loud", 4, 0)
	for i := range 20 {
		if _, err := s.slot(Owner{Principal: "loud", Session: fmt.Sprint("more ", i)}); err != nil && i > 3 {
			break // all of its links are being opened
		}
	}
	if has(s, "quiet") != 1 || has(s, "loud") != 4 {
		t.Errorf("quiet has %d, loud %d", has(s, "quiet"), has(s, "loud"))
	}
	if s.links[Owner{Principal: "loud", Session: "0"}] != nil {
		t.Error("the longest unused link is still there")
	}
}

func TestThePrincipalWithTheMostLinksLosesOne(t *testing.T) {
	s := fullServer(t)
	takes(s, "a", 4, 0)
	takes(s, "b", 3, 0)
	takes(s, "c", 1, 0)
	if _, err := s.slot(Owner{Principal: "c", Session: "more"}); err != nil || shares(s) != "a 3, b 3, c 2" {
		t.Errorf("%v; %s", err, shares(s))
	}
}

func TestTheLinkOfAPrincipalWithoutASessionIsClosedWhenItIsIdle(t *testing.T) {
	s := fullServer(t)
	takes(s, "p", 2, 0)
	for o := range s.links {
		p := s.links[o]
		p.idle = time.NewTimer(time.Hour)
		if o.Session == "1" {
			defer p.attempt.link.Hold()()
		}
		s.retire(o, p)
	}
	if has(s, "p") != 1 || s.links[Owner{Principal: "p", Session: "1"}] == nil {
		t.Errorf("%d links are left", has(s, "p"))
	}
}

// nobody is a transport without a server.
type nobody struct{ transport }

func (nobody) close() {}
