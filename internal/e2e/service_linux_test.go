package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpproxy/internal/e2e/rig"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/porttest"
	"mcpproxy/internal/service"
)

// managedUser is the id of the user whose service manager the tests run. No account has it.
const managedUser = "23456"

// noSandbox is the exit code with which testdata/user-manager.sh says that the machine allows no namespaces.
const noSandbox = 77

// userManager is systemd as the service manager of one user, separate from the machine's own systemd:
// testdata/user-manager.sh.
type userManager struct {
	t       *testing.T
	process *rig.Process
	log     *rig.Log
}

// startUserManager starts the manager. The test is skipped if systemd is not installed, which is an error in CI, or if
// the machine allows no namespaces and control groups.
func startUserManager(t *testing.T) *userManager {
	t.Helper()
	for _, program := range []string{"systemctl", "journalctl", "setpriv", "nsenter", "/usr/lib/systemd/systemd"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%s is not installed", program)
			}
			t.Skipf("THE SERVICE IS NOT TESTED UNDER SYSTEMD: %s is not installed", program)
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("THE SERVICE IS NOT TESTED UNDER SYSTEMD: only root can start a user manager apart from its own")
	}
	unit, err := service.PackagedUnit("/run/bin/mcpproxy")
	if err != nil {
		t.Fatal(err)
	}
	unitFile := filepath.Join(t.TempDir(), "mcpproxy.service")
	rig.Write(t, unitFile, unit)
	if err := os.Chmod(unitFile, 0o644); err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs(filepath.Join("testdata", "user-manager.sh"))
	if err != nil {
		t.Fatal(err)
	}
	group := "mcpproxy-e2e-" + strconv.Itoa(os.Getpid())
	cmd := exec.Command("sh", script, managedUser, bin.plain, unitFile, group)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
		Pdeathsig:  syscall.SIGKILL,
	}
	m := &userManager{t: t, log: &rig.Log{}}
	if m.process, err = rig.Start(cmd, m.log); errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) {
		t.Skipf("THE SERVICE IS NOT TESTED UNDER SYSTEMD: this machine refuses namespaces: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if m.process != nil {
			m.process.Kill()
		}
		removeGroups(t, group)
		if t.Failed() {
			t.Logf("log of the manager:\n%s", m.log.Tail(8000))
		}
	})
	eventually.SucceedsWithin(t, patience, "the user's manager runs", func() error {
		select {
		case err := <-m.process.Exited():
			m.process = nil
			if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == noSandbox {
				t.Skipf("THE SERVICE IS NOT TESTED UNDER SYSTEMD: %s", m.log)
			}
			t.Fatalf("the manager ended: %v", err)
		default:
		}
		_, err := m.run("systemctl", "--user", "show-environment")
		return err
	})
	return m
}

// removeGroups removes the control groups of a manager once its processes are gone.
func removeGroups(t *testing.T, group string) {
	t.Helper()
	eventually.SucceedsWithin(t, patience, "the control groups are removed", func() error {
		var left error
		for _, hierarchy := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/systemd"} {
			left = errors.Join(left, removeTree(filepath.Join(hierarchy, group)))
		}
		return left
	})
}

// removeTree removes a control group and the groups in it. The files of a control group cannot be removed; they
// disappear with the folders.
func removeTree(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() {
			err = errors.Join(err, removeTree(filepath.Join(dir, e.Name())))
		}
	}
	return errors.Join(err, os.Remove(dir))
}

// run runs a program as the user, inside the manager's namespaces.
func (m *userManager) run(line ...string) (string, error) {
	at := []string{"--target", strconv.Itoa(m.process.PID()), "--mount", "--pid",
		"setpriv", "--reuid", managedUser, "--regid", managedUser, "--clear-groups", "env", "-i",
		"PATH=/run/bin:/usr/local/bin:/usr/bin:/bin", "USER=ann", "HOME=/run/home", "XDG_RUNTIME_DIR=/run/user/" + managedUser}
	cmd := exec.Command("nsenter", append(at, line...)...)
	cmd.Dir = "/"
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(line, " "), err, out)
	}
	return string(out), err
}

// must runs a program whose output must contain these words.
func (m *userManager) must(line string, words ...string) string {
	m.t.Helper()
	out, err := m.run(strings.Fields(line)...)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, word := range words {
		if !strings.Contains(out, word) {
			m.t.Errorf("%s does not print %q:\n%s", line, word, out)
		}
	}
	return out
}

// write writes a file that belongs to the user.
func (m *userManager) write(path, content string) {
	m.t.Helper()
	_, err := m.run("sh", "-c", `mkdir -p "$(dirname "$1")" && printf %s "$2" >"$1" && chmod 600 "$1"`, "sh", path, content)
	if err != nil {
		m.t.Fatal(err)
	}
}

// status is the output of mcpproxy about its service.
func (m *userManager) status() (s service.Status) {
	m.t.Helper()
	if err := json.Unmarshal([]byte(m.must("mcpproxy service status -o json")), &s); err != nil {
		m.t.Fatal(err)
	}
	return s
}

// comesBack waits until the service runs in another process than pid, and answers.
func (m *userManager) comesBack(pid int) service.Status {
	m.t.Helper()
	var now service.Status
	eventually.SucceedsWithin(m.t, patience, "systemd starts the daemon again", func() error {
		if now = m.status(); !now.Running || now.PID == pid || now.PID == 0 {
			return fmt.Errorf("its status is %+v", now)
		}
		_, err := m.run("mcpproxy", "status")
		return err
	})
	return now
}

// A real systemd runs the units that `service install` writes, and then the unit from the package.
func TestAUserManagerOfSystemdKeepsTheServiceRunning(t *testing.T) {
	t.Parallel()
	m := startUserManager(t)
	m.write("/run/home/.mcpproxy/mcp_config.json", `{"listen": "`+porttest.Free(t)+`"}`)
	// The real unit waits 2 s before a restart, and 60 s for a keep-alive message.
	m.write("/run/home/.config/systemd/user/mcpproxy.service.d/test.conf",
		"[Service]\nRestartSec=50ms\nWatchdogSec=4s\n[Unit]\nStartLimitBurst=50\n")

	m.must("mcpproxy service install", "The service is installed and runs: /run/home/.config/systemd/user/mcpproxy.service")
	first := m.status()
	if !first.Running || !first.Enabled || first.PID == 0 || first.Activated {
		t.Fatalf("after the installation: %+v", first)
	}
	m.must("mcpproxy service status", "active (running)", "it comes back at your login")
	m.must(fmt.Sprintf("cat /proc/%d/status", first.PID), "NoNewPrivs:\t1", "Uid:\t"+managedUser+"\t")
	if cgroups := m.must(fmt.Sprintf("cat /proc/%d/cgroup", first.PID)); !strings.Contains(cgroups, "/app.slice/mcpproxy.service") {
		t.Errorf("the daemon is not in the service's control group:\n%s", cgroups)
	}
	m.must("mcpproxy status")
	if out, _ := m.run("mcpproxy", "doctor"); !strings.Contains(out, "✓ after a reboot: mcpproxy starts at your login") {
		t.Errorf("doctor says\n%s", out)
	}
	m.must("mcpproxy service logs --lines 100", "is ready")

	m.must(fmt.Sprintf("kill -KILL %d", first.PID))
	killed := m.comesBack(first.PID)
	m.must(fmt.Sprintf("kill -STOP %d", killed.PID)) // the daemon hangs
	hung := m.comesBack(killed.PID)
	m.must("mcpproxy service logs --lines 3000", "SIGABRT") // the watchdog ends it with this signal
	if hung.Restarts < 2 {
		t.Errorf("the manager counts %d restarts", hung.Restarts)
	}

	m.must("mcpproxy stop", "is stopped. Start it with: mcpproxy start")
	if s := m.status(); s.Running || !s.Installed {
		t.Errorf("after stop: %+v", s)
	}
	m.must("mcpproxy start", "mcpproxy is running")
	started := m.comesBack(hung.PID)
	m.must("mcpproxy restart", "mcpproxy is running")
	m.comesBack(started.PID)
	m.expectSocketActivation()

	m.must("mcpproxy service uninstall", "The service is stopped")
	if s := m.status(); s.Installed || s.Running {
		t.Errorf("after the removal: %+v", s)
	}
	m.expectPackagedUnit()
}

// expectSocketActivation installs the service with sockets, and checks that a connection starts it.
func (m *userManager) expectSocketActivation() {
	m.t.Helper()
	m.must("mcpproxy service install --socket", "systemd listens for it at 127.0.0.1:")
	s := m.status()
	if !s.Running || !s.Activated {
		m.t.Fatalf("with sockets: %+v", s)
	}
	m.must("systemctl --user stop mcpproxy.service")
	m.must("mcpproxy status") // the connection starts it
	eventually.SucceedsWithin(m.t, patience, "a connection starts the service", func() error {
		if woken := m.status(); !woken.Running || woken.PID == s.PID {
			return fmt.Errorf("its status is %+v", woken)
		}
		return nil
	})
	m.must("mcpproxy stop")
	if _, err := m.run("mcpproxy", "status"); err == nil {
		m.t.Error("after stop, a connection starts the service")
	}
}

// expectPackagedUnit enables the unit of the package, as its users do.
func (m *userManager) expectPackagedUnit() {
	m.t.Helper()
	m.must("systemctl --user enable --now mcpproxy")
	m.must("mcpproxy status")
	if out, _ := m.run("mcpproxy", "doctor"); !strings.Contains(out, "✓ after a reboot: ") {
		m.t.Errorf("doctor does not know the package's unit:\n%s", out)
	}
	m.must("systemctl --user disable --now mcpproxy")
	eventually.TrueWithin(m.t, 10*time.Second, "the daemon is gone", func() bool {
		_, err := m.run("mcpproxy", "status")
		return err != nil
	})
}
