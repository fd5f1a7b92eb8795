package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"mcpproxy/internal/eventually"
)

// keyringPrograms are the programs of a desktop's keyring, and the program with which people store secrets in it.
var keyringPrograms = map[string]string{
	"dbus-daemon":          "dbus-daemon",
	"dbus-send":            "dbus-bin",
	"gnome-keyring-daemon": "gnome-keyring",
	"secret-tool":          "libsecret-tools",
}

// hasKeyring reports whether this machine has the programs of a real keyring. In CI, a missing program is an error.
func hasKeyring() (bool, error) {
	for program, in := range keyringPrograms {
		if _, err := exec.LookPath(program); err == nil {
			continue
		}
		if os.Getenv("CI") == "true" {
			return false, fmt.Errorf("%s is not there: apt-get install %s", program, in)
		}
		return false, nil
	}
	return true, nil
}

// systemKeyring starts a bus with a keyring for this script, as on a desktop.
func systemKeyring(ts *testscript.TestScript, neg bool, _ []string) {
	none(ts, neg)
	home := ts.MkAbs("desktop")
	for _, kind := range []string{"RUNTIME_DIR", "DATA_HOME", "CONFIG_HOME", "CACHE_HOME"} {
		ts.Check(os.MkdirAll(filepath.Join(home, kind), 0o700))
		ts.Setenv("XDG_"+kind, filepath.Join(home, kind))
	}
	bus := onDesktop(ts, "dbus-daemon", "--session", "--nofork", "--print-address=1")
	address, err := bufio.NewReader(bus.out).ReadString('\n')
	ts.Check(err)
	ts.Setenv("DBUS_SESSION_BUS_ADDRESS", strings.TrimSpace(address))
	ring := onDesktop(ts, "gnome-keyring-daemon", "--unlock", "--components=secrets", "--foreground")
	_, err = io.WriteString(ring.in, "the owner's password")
	ts.Check(err)
	ts.Check(ring.in.Close())
	eventually.TrueWithin(ts, patience, "the keyring is on the bus", func() bool {
		ts.Check(
			ts.Exec(
				"dbus-send",
				"--session",
				"--print-reply",
				"--dest=org.freedesktop.DBus",
				"/",
				"org.freedesktop.DBus.NameHasOwner",
				"string:org.freedesktop.secrets",
			),
		)
		return strings.Contains(ts.ReadFile("stdout"), "boolean true")
	})
}

type desktopProgram struct {
	in  io.WriteCloser
	out io.Reader
}

// onDesktop starts a program that runs until the script ends.
func onDesktop(ts *testscript.TestScript, name string, args ...string) desktopProgram {
	cmd := exec.Command(name, args...)
	for _, key := range []string{"HOME", "PATH", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "DBUS_SESSION_BUS_ADDRESS"} {
		cmd.Env = append(cmd.Env, key+"="+ts.Getenv(key))
	}
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return desktopProgram{in, out}
}
