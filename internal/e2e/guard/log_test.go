//go:build linux

package guard_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallDisk puts the host's data folder on a disk of a few megabytes.
func (r *host) smallDisk(t *testing.T) {
	t.Helper()
	config := r.read(r.Config)
	if err := syscall.Mount("tmpfs", r.Data, "tmpfs", 0, "size=6m,mode=0700"); errors.Is(err, syscall.EPERM) {
		t.Skip("NO RIGHT TO MOUNT HERE: A FULL DISK IS NOT TRIED")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(r.Data, syscall.MNT_DETACH) })
	r.Write(r.Config, config)
}

// fillDisk fills the disk completely, and returns a function that frees the space again.
func (r *host) fillDisk() (free func()) {
	r.t.Helper()
	path := filepath.Join(r.Data, "filler")
	f, err := os.Create(path)
	if err != nil {
		r.t.Fatal(err)
	}
	for block := make([]byte, 4096); err == nil; {
		_, err = f.Write(block)
	}
	f.Close()
	if !errors.Is(err, syscall.ENOSPC) {
		r.t.Fatal(err)
	}
	return func() { os.Remove(path) }
}

func TestAFullDiskHidesNothing(t *testing.T) {
	t.Parallel()
	for onFailure, wants := range map[string]string{"deny": "deny", "allow": "allow"} {
		t.Run("with on_failure "+onFailure, func(t *testing.T) {
			t.Parallel()
			r := newHost(t, object{"activity": object{"on_failure": onFailure}})
			r.smallDisk(t)
			defer r.Stop() // before the disk is removed
			r.Serve(2)
			a := r.agent(t)
			free := r.fillDisk()
			r.until("the daemon is not ready", func() bool {
				a.tool("Read", object{"file_path": "/etc/hosts"}, strings.Repeat("text ", 2000))
				status, _ := r.request(http.MethodGet, "/readyz", nil)
				return status == http.StatusServiceUnavailable
			})
			if out, _ := r.mcpproxy("status"); !strings.Contains(out, "THE ACTIVITY LOG CANNOT BE WRITTEN") {
				t.Errorf("status says %s", out)
			}
			if decision, said := a.before(
				"Read",
				object{"file_path": "/etc/hosts"},
			); decision != wants ||
				wants == "deny" && !strings.Contains(said.Stdout, "activity.on_failure") {
				t.Errorf("a call is answered with %s: %+v", decision, said)
			}
			free()
			r.until("the gap is recorded", func() bool { return len(r.records("type=gap")) > 0 })
			gap := r.records("type=gap")[0].Metadata.Detail
			if lost, ok := gap["lost"].(float64); gap["reason"] != "log_failure" || !ok || lost < 1 {
				t.Errorf("the gap is recorded as %v", gap)
			}
			// The gap record may have found enough space before the disk was freed.
			r.until("with room on the disk a call is allowed", func() bool {
				decision, _ := a.before("Read", object{"file_path": "/etc/hosts"})
				return decision == "allow"
			})
			r.Stop()
			if out, code := r.mcpproxy("activity", "verify"); code != 0 || !strings.Contains(out, "gap") {
				t.Errorf("verify exits with %d and says %s", code, out)
			}
		})
	}
}

func TestALogThatAToolRemovesIsMissed(t *testing.T) {
	t.Parallel()
	r := newHost(t, nil)
	r.Serve(2)
	a := r.reader(t)
	r.until("the reading is recorded", func() bool { return len(r.records("type=hook_evaluation")) > 0 })
	a.evade("rm -f " + r.Data + "/activity.db*")
	r.Stop()
	if out, code := r.mcpproxy("activity", "verify"); code != 1 || !strings.Contains(out, "removed") {
		t.Errorf("verify exits with %d and says %s", code, out)
	}
	r.Serve(2)
	r.until("the start records what is missing", func() bool { return len(r.records("type=gap")) > 0 })
	if reason := r.records("type=gap")[0].Metadata.Detail["reason"]; reason != "log_replaced" {
		t.Errorf("the gap's reason is %v", reason)
	}
	if passed := a.sends(); passed != nil {
		t.Errorf("%q passes: what the session has read went with the log", passed)
	}
}

func TestApprovalsThatAToolRemovesStopTheStart(t *testing.T) {
	t.Parallel()
	r := newHost(t, object{"security": object{}})
	r.Serve(0)
	for _, server := range []string{"vault", "chat"} { // both, so that nothing more is written
		r.until(server+"'s tool is approved", func() bool {
			r.mcpproxy("trust", "baseline", server)
			var tools []struct{ Trust struct{ State string } }
			return r.Get("/api/v1/servers/"+server+"/tools?kind=all", &tools) && len(tools) > 0 &&
				tools[0].Trust.State == "approved"
		})
	}
	a := r.agent(t)
	a.evade("rm -f " + r.Data + "/trust.json")
	r.Stop()
	if out, code := r.mcpproxy("serve"); code == 0 || !strings.Contains(out, "trust.json was removed") {
		t.Errorf("serve exits with %d and says %s", code, out)
	}
	if out, code := r.mcpproxy("activity", "verify"); code != 1 || !strings.Contains(out, "trust.json was removed") {
		t.Errorf("verify exits with %d and says %s", code, out)
	}
}

func TestALogThatAToolRemovesWithAllThatKnowsOfItIsMissed(t *testing.T) {
	t.Parallel()
	r := newHost(t, nil)
	r.Serve(2)
	a := r.agent(t)
	r.until("the witness is there", func() bool {
		found, err := filepath.Glob(filepath.Join(r.Home, ".local", "state", "mcpproxy", "logs", "*.json"))
		return err == nil && len(found) == 1
	})
	a.evade("cd " + r.Data + " && rm -f activity.db* heads.json ledger.key ledger.pub trust.json flow.state alive")
	r.Kill()
	if out, code := r.mcpproxy("activity", "verify"); code != 1 || !strings.Contains(out, "removed") {
		t.Errorf("verify exits with %d and says %s", code, out)
	}
	r.Serve(2)
	if gap := r.gap("log_replaced"); gap == nil {
		t.Error("the start records nothing")
	}
}
