// Package valkeytest runs a real Valkey or Redis server for tests.
package valkeytest

import (
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/eventually"
	"mcpproxy/internal/porttest"
)

// Server is a server on a free port of this machine.
type Server struct {
	t       testing.TB
	program string
	dir     string
	port    int
	args    []string
	cmd     *exec.Cmd
}

// Start starts a server that is stopped when the test ends. If durable is set, the data survives [Server.Stop]. If no
// server is installed, the test is skipped, but in CI it fails.
func Start(t testing.TB, durable bool) *Server {
	t.Helper()
	program := find(t)
	dir, err := os.MkdirTemp("", "kv")
	if err != nil {
		t.Fatal(err)
	}
	_, digits, _ := net.SplitHostPort(porttest.Free(t))
	port, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{
		t:       t,
		program: program,
		dir:     dir,
		port:    port,
		args:    []string{"--save", ""},
	}
	if durable {
		s.args = append(s.args, "--appendonly", "yes", "--appendfsync", "always")
	}
	t.Cleanup(func() {
		s.Stop()
		os.RemoveAll(dir)
	})
	s.Start()
	return s
}

// find returns the path of a server program.
func find(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"valkey-server", "redis-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const missing = "THERE IS NO valkey-server AND NO redis-server: the shared state is not tested; install Debian's redis-server"
	if os.Getenv("CI") != "" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// URL returns the address of the server.
func (s *Server) URL() string { return fmt.Sprintf("valkey://127.0.0.1:%d/0", s.port) }

// Start starts the server again, on the same port, and waits until it answers.
func (s *Server) Start() {
	s.t.Helper()
	args := append([]string{
		"--port", fmt.Sprint(s.port), "--bind", "127.0.0.1", "--dir", s.dir, "--logfile", filepath.Join(s.dir, "log"),
	}, s.args...)
	s.cmd = exec.Command(s.program, args...)
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	eventually.TrueWithin(s.t, 20*time.Second, "the server answers", func() bool {
		conn, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", s.port), time.Second)
		if err != nil {
			return false
		}
		defer conn.Close()
		answer := make([]byte, 5)
		_ = conn.SetDeadline(time.Now().Add(time.Second))
		if _, err = conn.Write([]byte("PING\r\n")); err == nil {
			_, err = conn.Read(answer)
		}
		return err == nil && string(answer) == "+PONG"
	})
}

// Stop kills the server.
func (s *Server) Stop() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.cmd = nil
}

// Received returns how many bytes the server has received since it was started.
func (s *Server) Received(t testing.TB) int {
	t.Helper()
	conn, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", s.port), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "INFO stats\r\nQUIT\r\n"); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(said), "total_net_input_bytes:")
	digits, _, _ := strings.Cut(rest, "\r")
	n, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatalf("the server says %q", said)
	}
	return n
}

// Kept returns the content of all files that a durable server has written.
func (s *Server) Kept(t testing.TB) []byte {
	t.Helper()
	var all []byte
	err := filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		all = append(all, raw...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
