// Package pgtest runs a real PostgreSQL server for tests.
package pgtest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"mcpproxy/internal/porttest"
)

// patience is the timeout for the start of a server.
const patience = time.Minute

// Server is a PostgreSQL server on a free port of this machine.
type Server struct {
	URL string // URL of the database postgres, owned by the role postgres

	dir, data, port string
	process         *exec.Cmd
	log             lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Lacking skips a test that needs PostgreSQL with a visible message. In CI the test fails.
func Lacking(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip("THE LOG IN POSTGRESQL IS NOT TESTED: " + what)
}

// Need skips a test on a machine without PostgreSQL. In CI the test fails.
func Need(t testing.TB) {
	t.Helper()
	if _, err := program("initdb"); err != nil {
		Lacking(t, err.Error())
	}
}

// program returns the path of a PostgreSQL server program, of the newest version.
func program(name string) (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
		return "", errors.New("there is no PostgreSQL: apt-get install postgresql")
	}
	slices.Sort(found)
	return found[len(found)-1], nil
}

// unprivileged makes a command run as another user if this process runs as root, because PostgreSQL
// refuses to run as root. It returns that user's id, or -1.
func unprivileged(cmd *exec.Cmd) (int, error) {
	if os.Getuid() != 0 {
		return -1, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(found.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(found.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return -1, err
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
		return int(uid), nil
	}
	return -1, errors.New("PostgreSQL does not run as root, and there is no other user")
}

// New makes a database cluster and starts its server. The caller stops it with Remove.
func New() (s *Server, err error) {
	initdb, err := program("initdb")
	if err != nil {
		return nil, err
	}
	s = &Server{}
	if s.dir, err = os.MkdirTemp("", "pgtest"); err != nil {
		return nil, err
	}
	s.data = filepath.Join(s.dir, "data")
	initialize := exec.Command(initdb, "-D", s.data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync")
	initialize.Dir = s.dir
	uid, err := unprivileged(initialize)
	if err == nil && uid >= 0 {
		err = os.Chown(s.dir, uid, -1)
	}
	if err == nil {
		if out, failed := initialize.CombinedOutput(); failed != nil {
			err = fmt.Errorf("initdb: %w\n%s", failed, out)
		}
	}
	if err == nil {
		s.port, err = freePort()
	}
	s.URL = "postgres://postgres@127.0.0.1:" + s.port + "/postgres?sslmode=disable"
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	return s, nil
}

// freePort reserves a port until the process ends: a server is stopped and started again on it.
func freePort() (string, error) {
	address, _, err := porttest.Reserve()
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(address)
	return port, err
}

// CPU returns the processor time that the shared server has used so far. It works on Linux.
func CPU() (total time.Duration, err error) {
	if shared.server == nil || shared.server.process == nil {
		return 0, errors.New("no server is running")
	}
	main := strconv.Itoa(shared.server.process.Process.Pid)
	found, err := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range found {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // the process has ended
		}
		// proc(5): after the name in brackets stand the state, the parent, ten others, and four times in ticks of
		// 10 ms: those of the process, and those of its children that have ended.
		f := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
		if len(f) < 15 || f[1] != main && filepath.Base(filepath.Dir(path)) != main {
			continue
		}
		for _, ticks := range f[11:15] {
			n, err := strconv.ParseInt(ticks, 10, 64)
			if err != nil {
				return 0, err
			}
			total += time.Duration(n) * 10 * time.Millisecond
		}
	}
	return total, err
}

// Start starts the server and waits until it answers.
func (s *Server) Start() error {
	path, err := program("postgres")
	if err != nil {
		return err
	}
	// The operating system keeps the data of a killed server, so fsync is unnecessary in tests. Benchmarks set it.
	fsync := cmp.Or(os.Getenv("PGTEST_FSYNC"), "off")
	s.process = exec.Command(path, "-D", s.data, "-p", s.port, "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories=", "-c", "fsync="+fsync, "-c", "max_connections=200")
	s.process.Dir = s.dir
	s.process.Stdout, s.process.Stderr = &s.log, &s.log
	if _, err := unprivileged(s.process); err != nil {
		return err
	}
	if err := s.process.Start(); err != nil {
		return err
	}
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		conn, err := pgx.Connect(context.Background(), s.URL)
		if err == nil {
			return conn.Close(context.Background())
		}
		if time.Since(began) > patience {
			return fmt.Errorf("PostgreSQL does not start: %w\n%s", err, s.log.String())
		}
	}
}

// Stop stops the server without waiting for its clients.
func (s *Server) Stop() error {
	if s.process == nil {
		return nil
	}
	p := s.process
	s.process = nil
	if err := p.Process.Signal(syscall.SIGINT); err != nil {
		return err
	}
	_ = p.Wait() // killed by a signal
	return nil
}

// Crash kills the server to simulate a crash.
func (s *Server) Crash() error {
	if s.process == nil {
		return nil
	}
	p := s.process
	s.process = nil
	if err := p.Process.Signal(syscall.SIGQUIT); err != nil {
		return err
	}
	_ = p.Wait() // killed by a signal
	return nil
}

// Remove stops the server and removes its files.
func (s *Server) Remove() error { return errors.Join(s.Stop(), os.RemoveAll(s.dir)) }

var shared struct {
	once   sync.Once
	server *Server
	err    error
}

// Run runs the tests of a package and then removes the server of [Schema].
func Run(m *testing.M) int {
	code := m.Run()
	if shared.server != nil {
		if err := shared.server.Remove(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	return code
}

var schemas struct {
	sync.Mutex
	n int
}

// Schema returns the URL of an empty schema on a server that the tests of the package share.
func Schema(t testing.TB) string {
	t.Helper()
	shared.once.Do(func() { shared.server, shared.err = New() })
	if shared.err != nil {
		Lacking(t, shared.err.Error())
	}
	schemas.Lock()
	schemas.n++
	name := fmt.Sprintf("test_%d", schemas.n)
	schemas.Unlock()
	conn, err := pgx.Connect(t.Context(), shared.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	return shared.server.URL + "&search_path=" + name
}
