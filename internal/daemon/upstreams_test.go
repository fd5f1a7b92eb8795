package daemon

import (
	"testing"

	"mcpproxy/internal/upstream"
)

func TestAStateOfAServerIsNewsOnce(t *testing.T) {
	var s serverStates
	for i, c := range []struct {
		server string
		state  upstream.State
		want   bool
	}{
		{"a", upstream.Connecting, false},
		{"a", upstream.Ready, true},
		{"a", upstream.Ready, false},
		{"b", upstream.Ready, true},
		{"a", upstream.Failed, true},
		{"a", upstream.Connecting, false},
		{"a", upstream.Failed, false},
		{"a", upstream.Ready, true},
	} {
		if got := s.news(upstream.Status{Name: c.server, State: c.state}); got != c.want {
			t.Errorf("%d: %s is %s: %t", i, c.server, c.state, got)
		}
	}
}
