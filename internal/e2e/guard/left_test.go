//go:build linux

package guard_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// A process that a tool has left running tries again later.
func TestWhatAToolLeavesBehindNeverDecides(t *testing.T) {
	t.Parallel()
	for _, moment := range []struct {
		name string
		come func(m *machine)
	}{
		{"once the agent has ended", func(m *machine) { m.agent.end() }},
		{"once the daemon was started anew", func(m *machine) { m.Stop(); m.Serve(0) }},
		{"once the daemon was killed and started anew", func(m *machine) { m.Kill(); m.Serve(0) }},
		{"once the agent has ended and the daemon was started anew", func(m *machine) { m.agent.end(); m.Stop(); m.Serve(0) }},
	} {
		t.Run(moment.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			now, out := filepath.Join(m.Home, "now"), filepath.Join(m.Home, "out")
			m.Write(filepath.Join(m.Home, "wait"), m.fill("until test -e "+now+"; do sleep 0.05; done\n"+
				"MCPPROXY token create mine >"+out+".part 2>&1; mv "+out+".part "+out+"\n"))
			m.agent.evade("setsid sh " + filepath.Join(m.Home, "wait") + " >/dev/null 2>&1 &")
			moment.come(m)
			m.Write(now, "")
			m.until("the process has tried", func() bool { return m.read(out) != "" })
			var tokens []object
			if !m.Get("/api/v1/tokens", &tokens) || len(tokens) != 0 || !strings.Contains(m.read(out), "the user's") {
				t.Errorf("it is answered with %s, and the tokens are %v", m.read(out), tokens)
			}
			if out, code := m.mcpproxy("token", "create", "theirs"); code != 0 {
				t.Errorf("the user is refused too: %s", out)
			}
		})
	}
}
