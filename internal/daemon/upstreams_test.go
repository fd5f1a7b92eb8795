package daemon

import (
	"encoding/json"
	"testing"

	"mcpproxy/internal/config"
	"mcpproxy/internal/trust"
	"mcpproxy/internal/upstream"
)

func TestAStateOfAServerIsRecordedOnce(t *testing.T) {
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
		if got := s.mustRecord(upstream.Status{Name: c.server, State: c.state}); got != c.want {
			t.Errorf("%d: %s is %s: %t", i, c.server, c.state, got)
		}
	}
}

func TestToolsOfRemovedServersAreRemovedFromTheList(t *testing.T) {
	r := newPartRig(t)
	changes := 0
	u := r.servers(func() { changes++ })
	off := false
	r.config.Servers = config.Servers{{Name: "here", Command: "x"}, {Name: "off", Command: "x", Enabled: &off}}
	for _, server := range []string{"here", "off", "gone"} {
		u.catalog.Set(server, []json.RawMessage{[]byte(`{"name": "tool", "inputSchema": {"type": "object"}}`)})
		u.trust().Observe(server, trust.Tool, []json.RawMessage{[]byte(`{"name": "tool"}`)}, true)
	}
	u.forgetGone(r.config)
	for server, stays := range map[string]bool{"here": true, "off": false, "gone": false} {
		if u.hasTool(server, "tool") != stays {
			t.Errorf("%s has its tool: %t", server, !stays)
		}
	}
	if changes != 1 {
		t.Errorf("agents were told %d times that their tools changed", changes)
	}
	u.forgetGone(r.config)
	if changes != 1 {
		t.Error("agents were told of a change when nothing had changed")
	}
}
