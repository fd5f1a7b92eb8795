package client_test

import (
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpproxy/internal/hook/client"
)

// runBy records a process as the owner of a socket.
func runBy(t *testing.T, socket, pid string) string {
	t.Helper()
	if err := os.WriteFile(socket+client.PIDSuffix, []byte(pid+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return socket
}

// sleepingProcess returns a process that does nothing.
func sleepingProcess(t *testing.T) *os.Process {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd.Process
}

// This process runs while it checks its own state, so it is always found to be working.
func TestTheHookWaitsForADaemonThatIsSeenToWork(t *testing.T) {
	socket := serve(t, func(conn net.Conn) {
		received(conn)
		time.Sleep(300 * time.Millisecond)
		_, _ = io.WriteString(conn, ok(deny))
	})
	runBy(t, socket, strconv.Itoa(os.Getpid()))
	stdout, stderr, _ := run(client.Options{Socket: socket, Verbose: true, Deadline: time.Millisecond}, "{}")
	if stdout == "" {
		t.Errorf("it was given up: %s", stderr)
	}
}

func TestTheHookWaitsForADaemonThatReadsLate(t *testing.T) {
	socket := serve(t, func(conn net.Conn) {
		time.Sleep(300 * time.Millisecond)
		received(conn)
		_, _ = io.WriteString(conn, ok(deny))
	})
	runBy(t, socket, strconv.Itoa(os.Getpid()))
	// The payload does not fit into the socket's buffer, so the hook has to wait to write it.
	stdout, stderr, _ := run(
		client.Options{Socket: socket, Verbose: true, Deadline: time.Millisecond},
		strings.Repeat("x", 4<<20),
	)
	if stdout == "" {
		t.Errorf("it was given up: %s", stderr)
	}
}

func TestTheHookGivesUpOnAnIdleDaemon(t *testing.T) {
	never := func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }
	stopped := sleepingProcess(t)
	if err := stopped.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for name, pid := range map[string]string{
		"it sleeps":              strconv.Itoa(sleepingProcess(t).Pid),
		"it is stopped":          strconv.Itoa(stopped.Pid),
		"it is gone":             "999999999",
		"nobody knows":           "",
		"its number is a text":   "self",
		"its number is negative": "-1",
		"its number is a path":   "../../../tmp",
	} {
		t.Run(name, func(t *testing.T) {
			socket := runBy(t, serve(t, never), pid)
			stdout, stderr, code := run(client.Options{Socket: socket, Verbose: true}, "{}")
			if stdout != "" || code != 0 || !strings.Contains(stderr, "mcpproxy took too long") {
				t.Errorf("printed %q and %q, code %d", stdout, stderr, code)
			}
		})
	}
}
