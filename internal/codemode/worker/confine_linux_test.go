//go:build linux && (amd64 || arm64) && !cgo

package worker

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// attempts are actions that must be impossible for a worker.
var attempts = map[string]func() error{
	"open a file":     func() error { _, err := os.ReadFile("/etc/passwd"); return err },
	"make a file":     func() error { return os.WriteFile(os.Args[3], nil, 0o600) },
	"start a program": func() error { return exec.Command("/bin/true").Run() },
	"signal another":  func() error { return unix.Tgkill(os.Getppid(), os.Getppid(), 0) },
	"become another":  func() error { return syscall.Exec("/bin/true", []string{"true"}, nil) },
	"connect":         func() error { _, err := net.Dial("tcp", os.Args[3]); return err },
	"open a socket":   func() error { _, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0); return err },
}

// TestMain makes this binary a process that confines itself and tries something.
func TestMain(m *testing.M) {
	if len(os.Args) != 4 || attempts[os.Args[2]] == nil {
		os.Exit(m.Run())
	}
	runtime.LockOSThread()
	switch os.Args[1] {
	case "all":
		for _, l := range confine(Options{HeapMB: 64, CPUSecs: 10, MaxFrame: 1 << 20}) {
			if !l.Held {
				fmt.Printf("%s: %s\n", l.Name, l.Why)
				os.Exit(3)
			}
		}
	case "files":
		if err := denyAll(); err != nil {
			fmt.Println(err)
			os.Exit(3)
		}
	}
	if err := attempts[os.Args[2]](); err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
}

// try runs an attempt in a confined process, and returns how the process ended.
func try(t *testing.T, confinement, what, where string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(exe, confinement, what, where).CombinedOutput()
	e, _ := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return "done"
	case e == nil:
		t.Fatal(err)
	case e.Sys().(syscall.WaitStatus).Signaled():
		return "killed by " + e.Sys().(syscall.WaitStatus).Signal().String()
	case e.ExitCode() == 2:
		return "refused: " + string(out)
	}
	t.Fatalf("%s, %s: %v\n%s", confinement, what, err, out)
	return ""
}

// Each layer is sufficient by itself: the system-call filter ends the process at a forbidden action, and without the
// filter the action fails.
// Shows: GW-19.
func TestAWorkerReachesNothing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	abi, _, _ := syscall.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	for what := range attempts {
		where := t.TempDir() + "/new"
		if what == "connect" {
			where = l.Addr().String()
		}
		if got := try(t, "none", what, where); got != "done" {
			t.Errorf("without confinement, %s: %s", what, got)
		}
		_ = os.Remove(where)
		if got := try(t, "all", what, where); got != "killed by "+syscall.SIGSYS.String() {
			t.Errorf("confined, %s: %s", what, got)
		}
		if what == "signal another" && abi < 6 {
			continue // Landlock does not check signals
		}
		if what == "open a socket" || what == "connect" && abi < 4 {
			continue // Landlock restricts the use of a socket, but not its creation
		}
		if got := try(t, "files", what, where); !strings.HasPrefix(got, "refused") {
			t.Errorf("by Landlock alone, %s: %s", what, got)
		}
	}
}
