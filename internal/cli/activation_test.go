package cli

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// activator does what systemd does for a socket unit: activator MODE SOCKET PROGRAM ARGS… opens a TCP address and a
// Unix socket with that mode, and starts the program with both. It makes a request before the start, which shows that
// a connection waits for the program.
func activator() {
	if err := activate(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "activator:", err)
		os.Exit(1)
	}
}

func activate(mode, socket string, program []string) error {
	bits, err := strconv.ParseUint(mode, 8, 32)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(socket), 0o700); err != nil {
		return err
	}
	tcp, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return err
	}
	local, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return err
	}
	local.SetUnlinkOnClose(false) // the file shows later who removed it
	if err := os.Chmod(socket, os.FileMode(bits)); err != nil {
		return err
	}
	early, err := net.Dial("unix", socket)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprint(early, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"); err != nil {
		return err
	}
	cmd := exec.Command("sh", append([]string{"-c", `LISTEN_FDS=2 LISTEN_PID=$$ exec "$0" "$@"`}, program...)...)
	cmd.Stdout = os.Stdout
	cmd.Stderr = os.Stderr
	for _, l := range []interface{ File() (*os.File, error) }{tcp, local} {
		f, err := l.File()
		if err != nil {
			return err
		}
		cmd.ExtraFiles = append(cmd.ExtraFiles, f)
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		_ = early.SetReadDeadline(time.Now().Add(patience))
		if resp, err := http.ReadResponse(bufio.NewReader(early), nil); err == nil {
			fmt.Println("the request from before the start:", resp.Status)
		}
	}()
	err = cmd.Wait()
	if cmd.ProcessState.ExitCode() > 0 {
		os.Exit(cmd.ProcessState.ExitCode())
	}
	return err
}
