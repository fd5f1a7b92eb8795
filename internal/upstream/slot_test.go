package upstream

import (
	"fmt"
	"testing"

	"mcpproxy"
)

// A place is given away when nobody waits for an answer there.
func TestALinkWithACallUnderWayKeepsItsPlace(t *testing.T) {
	s := &Server{links: map[string]*slot{}, spec: Spec{Name: "s", Enabled: true}}
	idle := func(pending int) *slot {
		l := &Link{pending: map[string]*call{}, transport: nobody{}, done: make(chan struct{})}
		for i := range pending {
			l.pending[fmt.Sprint(i)] = &call{done: make(chan struct{})}
		}
		a := &attempt{done: make(chan struct{}), link: l}
		close(a.done)
		return &slot{attempt: a}
	}
	for i := range maxLinks {
		s.links[fmt.Sprint("busy ", i)] = idle(1)
	}
	if _, err := s.slot("one more"); mcpproxy.CodeOf(err) != mcpproxy.CodeRateLimit {
		t.Errorf("got %v", err)
	}
	delete(s.links, "busy 7")
	s.links["idle"] = idle(0)
	if _, err := s.slot("one more"); err != nil || s.links["idle"] != nil || len(s.links) != maxLinks {
		t.Errorf("%v; %d places", err, len(s.links))
	}
}

// nobody is a transport to nowhere.
type nobody struct{ transport }

func (nobody) close() {}
