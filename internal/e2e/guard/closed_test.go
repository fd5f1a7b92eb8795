//go:build linux

package guard_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// outages are ways to stop a daemon, and to bring it back.
var outages = []struct {
	name    string
	silence func(r *host)
	back    func(r *host)
}{
	{"killed", (*host).Kill, func(r *host) { r.Serve(2) }},
	{"stopped by the user", (*host).Stop, func(r *host) { r.Serve(2) }},
	{"frozen", func(r *host) { r.signal(syscall.SIGSTOP) }, func(r *host) { r.signal(syscall.SIGCONT) }},
}

func (r *host) signal(s syscall.Signal) {
	r.t.Helper()
	if err := r.Daemon.Signal(s); err != nil {
		r.t.Fatal(err)
	}
	if s == syscall.SIGSTOP { // the signal takes effect a little later
		stat := fmt.Sprintf("/proc/%d/stat", r.pid())
		r.until("the daemon is frozen", func() bool { return strings.Contains(r.read(stat), ") T ") })
	}
}

func TestWithoutADaemonHooksThatFailClosedDeny(t *testing.T) {
	t.Parallel()
	for _, o := range outages {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			r := newHost(
				t,
				object{
					"security": object{
						"hooks":           object{"fail_open": false},
						"tool_quarantine": object{"auto_quarantine_new_tools": false},
					},
				},
			)
			r.Serve(2)
			a := r.agent(t)
			if decision, _ := a.before("Read", object{"file_path": "/etc/hosts"}); decision != "allow" {
				t.Fatalf("with the daemon the answer is %s", decision)
			}
			o.silence(r)
			for _, tool := range []string{"Read", "Bash"} {
				decision, said := a.before(tool, object{"file_path": "/etc/hosts", "command": "true"})
				if decision != "deny" || !strings.Contains(said.Stderr, "mcpproxy serve") ||
					!strings.Contains(said.Stderr, "security.hooks.fail_open") {
					t.Errorf("%s is answered with %s: %+v", tool, decision, said)
				}
			}
			if noted := r.read(filepath.Join(r.Data, "hooks.unseen")); noted != "" {
				t.Errorf("denied calls are noted as unseen: %s", noted)
			}
			o.back(r)
			if decision, said := a.before("Read", object{"file_path": "/etc/hosts"}); decision != "allow" {
				t.Errorf("when the daemon is back the answer is %s: %+v", decision, said)
			}
		})
	}
}

func TestWithoutADaemonCallsPassAndAreToldOfAfterwards(t *testing.T) {
	t.Parallel()
	for _, o := range outages {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			r := newHost(t, nil)
			r.Serve(2)
			a := r.agent(t)
			o.silence(r)
			for range 3 {
				decision, said := a.before("Read", object{"file_path": "/etc/hosts"})
				if decision != "allow" || said.Stderr != "" {
					t.Fatalf("without the daemon the answer is %s: %+v", decision, said)
				}
			}
			o.back(r)
			gap := r.gap("no_daemon")
			if gap["lost"] != 3.0 || gap["from"] == nil || gap["to"] == nil {
				t.Errorf("the gap is recorded as %v", gap)
			}
			if out, _ := r.mcpproxy("status"); !strings.Contains(out, "CALLS PASSED UNSEEN: 3 calls") {
				t.Errorf("status says %s", out)
			}
			if out, _ := r.mcpproxy("doctor"); !strings.Contains(out, "3 calls were not seen") {
				t.Errorf("doctor says %s", out)
			}
			if said := a.event(
				"SessionStart",
				object{"source": "startup"},
			); !strings.Contains(
				said.Stdout,
				"3 calls were not seen",
			) {
				t.Errorf("the next session begins with %+v", said)
			}
		})
	}
}

// The marker that makes hooks fail closed exists before the daemon starts, and after it has ended.
func TestTheKillSwitchHoldsForHooksWhenTheDaemonIsFrozen(t *testing.T) {
	t.Parallel()
	r := newHost(t, nil)
	r.Serve(2)
	a := r.agent(t)
	if out, code := r.mcpproxy("kill", "on"); code != 0 {
		t.Fatal(out)
	}
	for _, o := range outages[1:] {
		o.silence(r)
		decision, said := a.before("Read", object{"file_path": "/etc/hosts"})
		if decision != "deny" || !strings.Contains(said.Stderr, "kill switch") {
			t.Errorf("%s: the answer is %s: %+v", o.name, decision, said)
		}
		o.back(r)
	}
}
