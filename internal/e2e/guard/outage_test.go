//go:build linux

package guard_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gap waits for a record of a gap that has the reason, and returns its details.
func (r *host) gap(reason string) (found object) {
	r.t.Helper()
	r.until("a gap with the reason "+reason, func() bool {
		for _, one := range r.records("type=gap") {
			if one.Metadata.Detail["reason"] == reason {
				found = one.Metadata.Detail
				return true
			}
		}
		return false
	})
	return found
}

// A process that kills the daemon and deletes the hooks' notes still leaves a trace.
func TestAnOutageIsToldWithoutTheHooksNote(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end          func(r *host)
		reason, says string
		installed    bool
	}{
		"killed": {
			end:    (*host).Kill,
			reason: "killed",
			says:   "mcpproxy crashed or was killed",
		},
		"stopped where hooks are installed": {
			end:       (*host).Stop,
			reason:    "stopped",
			says:      "no daemon ran between",
			installed: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newHost(t, nil)
			if c.installed {
				r.Write(filepath.Join(r.Home, ".claude", "settings.json"), "{}")
				if out, code := r.mcpproxy("hook", "install", "--agent", "claude-code"); code != 0 {
					t.Fatal(out)
				}
			}
			r.Serve(2)
			a := r.agent(t)
			a.before("Read", object{"file_path": "/etc/hosts"})
			c.end(r)
			a.before("Read", object{"file_path": "/etc/hosts"})
			if err := os.Remove(filepath.Join(r.Data, "hooks.unseen")); err != nil {
				t.Fatal(err)
			}
			r.Serve(2)
			gap := r.gap(c.reason)
			if gap["from"] == nil || gap["to"] == nil {
				t.Errorf("the gap is recorded as %v", gap)
			}
			if out, _ := r.mcpproxy("status"); !strings.Contains(out, "THE DAEMON DID NOT RUN: "+c.says) {
				t.Errorf("status says %s", out)
			}
			if out, _ := r.mcpproxy("doctor"); !strings.Contains(out, c.says) {
				t.Errorf("doctor says %s", out)
			}
			said := a.event("SessionStart", object{"source": "startup"})
			if !strings.Contains(said.Stdout, c.says) {
				t.Errorf("the next session begins with %+v", said)
			}
		})
	}
}

func TestAStopWithoutHooksIsNoOutage(t *testing.T) {
	t.Parallel()
	r := newHost(t, nil)
	r.Serve(2)
	r.Stop()
	r.Serve(2)
	if out, _ := r.mcpproxy("status"); strings.Contains(out, "DID NOT RUN") {
		t.Errorf("status says %s", out)
	}
}

func TestTheMarkerOfHooksThatFailClosedComesBack(t *testing.T) {
	t.Parallel()
	r := newHost(t, object{"security": object{"hooks": object{"fail_open": false}}})
	r.Serve(0)
	marker := filepath.Join(r.Data, "FAIL_CLOSED")
	if err := os.Remove(marker); err != nil {
		t.Fatal(err)
	}
	r.until("the marker is there again", func() bool { return r.read(marker) != "" })
}
