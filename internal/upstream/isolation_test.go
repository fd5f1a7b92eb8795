package upstream_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// tries asks a server to do something, and returns the outcome: "ok" or the error.
func tries(t *testing.T, s *upstream.Server, what, where string) string {
	t.Helper()
	resp, err := askWith(t, s, tool("try", fmt.Sprintf(`{"do":%q,"at":%q}`, what, where)), nil)
	if err != nil {
		t.Fatalf("%s %s: %v", what, where, err)
	}
	return wire.String(resp.Result, "came")
}

func TestAConfinedServerReachesOnlyWhatItMay(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return // another test checks the report of missing parts on every system
	}
	dir := t.TempDir()
	for _, sub := range []string{"read", "write", "other"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, sub, "f"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	socket, datagrams := filepath.Join(dir, "s"), filepath.Join(dir, "d")
	for network, at := range map[string]string{"unix": socket, "unixgram": datagrams} {
		if network == "unixgram" {
			c, err := net.ListenPacket(network, at)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			continue
		}
		u, err := net.Listen(network, at)
		if err != nil {
			t.Fatal(err)
		}
		defer u.Close()
	}
	spec := stdioSpec(t, "plain")
	free, _ := start(t, spec)
	spec.Isolation = &upstream.Isolation{
		Read:      []string{filepath.Join(dir, "read")},
		Write:     []string{filepath.Join(dir, "write"), filepath.Join(dir, "not-there")},
		NoNetwork: true,
	}
	confined, _ := start(t, spec)
	works(t, free)
	works(t, confined)
	abi := confined.Status().Isolation.Landlock
	for _, c := range []struct {
		what, where string
		may         bool
		abi         int // version of Landlock that is needed
	}{
		{"read", filepath.Join(dir, "read", "f"), true, 1},
		{"write", filepath.Join(dir, "read", "f"), false, 1},
		{"write", filepath.Join(dir, "read", "new"), false, 1},
		{"read", filepath.Join(dir, "write", "f"), true, 1},
		{"write", filepath.Join(dir, "write", "new"), true, 1},
		{"read", filepath.Join(dir, "other", "f"), false, 1},
		{"write", filepath.Join(dir, "other", "f"), false, 1},
		{"read", "/etc/shadow", false, 1},
		{"read", fmt.Sprintf("/proc/%d/environ", os.Getpid()), false, 1},
		{"run", "/bin/true", true, 1},
		{"connect", l.Addr().String(), false, 4},
		{"listen", "127.0.0.1:0", false, 4},
		{"multipath", l.Addr().String(), false, 0},
		{"udp", l.Addr().String(), false, 0},
		{"unix", socket, false, 0},
		{"unix datagram", datagrams, false, 0},
		{"pair", "", true, 0},
	} {
		if got := tries(t, free, c.what, c.where); got != "ok" && c.where != "/etc/shadow" {
			t.Errorf("without isolation: %s %s: %s", c.what, c.where, got)
		}
		may := c.may || abi < c.abi && len(confined.Status().Isolation.Missing) > 0
		if got := tries(t, confined, c.what, c.where); (got == "ok") != may {
			t.Errorf("confined: %s %s: %s", c.what, c.where, got)
		}
	}
}

// The test covers the settings that close Unix sockets and the ones that open them again.
func TestUnixSocketsDoNotBypassTheIsolation(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return
	}
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	u, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Close() })
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { udp.Close() })
	for name, c := range map[string]struct {
		isolation *upstream.Isolation
		unix, udp bool
	}{
		"files alone":                {&upstream.Isolation{Write: []string{dir}}, false, true},
		"the network alone":          {&upstream.Isolation{NoNetwork: true}, false, false},
		"the network, sockets open":  {&upstream.Isolation{NoNetwork: true, UnixSockets: true}, true, false},
		"neither files nor network":  {&upstream.Isolation{CPUSecs: 100}, true, true},
		"all of it, but for sockets": {&upstream.Isolation{Write: []string{dir}, NoNetwork: true, UnixSockets: true}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := stdioSpec(t, "plain")
			spec.Isolation = c.isolation
			s, _ := start(t, spec)
			works(t, s)
			if missing := s.Status().Isolation.Missing; len(missing) > 0 {
				t.Logf("this system cannot: %v", missing)
				return
			}
			if got := tries(t, s, "unix", socket); (got == "ok") != c.unix {
				t.Errorf("a Unix socket: %s", got)
			}
			if got := tries(t, s, "udp", udp.LocalAddr().String()); (got == "ok") != c.udp {
				t.Errorf("UDP: %s", got)
			}
			open := s.Status().Isolation.Open
			if strings.Contains(strings.Join(open, " "), "unix_sockets") != c.isolation.UnixSockets {
				t.Errorf("the status says that open is %v", open)
			}
		})
	}
}

// A program in the user's home folder must not give its server access to the whole folder.
func TestAProgramBesideKeysOpensNoOtherFile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	program, key := filepath.Join(home, "server"), filepath.Join(home, "own", "key")
	raw, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(home, "own"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string][]byte{program: raw, key: []byte("k")} {
		if err := os.WriteFile(path, content, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	spec := stdioSpec(t, "plain")
	spec.Command, spec.Dir = program, home
	spec.Isolation = &upstream.Isolation{
		Write:   []string{filepath.Join(home, "drafts")},
		Private: []string{filepath.Join(home, "own")},
	}
	s, _ := start(t, spec)
	works(t, s)
	if got := tries(t, s, "read", key); got == "ok" && s.Status().Isolation.Landlock > 0 {
		t.Error("its server reads what lies beside it")
	}
	spec.Name, spec.Isolation = "wide", &upstream.Isolation{
		Read:    []string{home},
		Private: []string{filepath.Join(home, "own")},
	}
	wide, _ := start(t, spec)
	works(t, wide)
	if open := wide.Status().Isolation.Open; len(open) != 1 || !strings.Contains(open[0], home) {
		t.Errorf("what is named and leads to keys is not said: %v", open)
	}
}

func TestAProgramIsConfinedOnlyInWaysThatAreConfigured(t *testing.T) {
	t.Parallel()
	spec := stdioSpec(t, "plain")
	file := filepath.Join(t.TempDir(), "f")
	spec.Isolation = &upstream.Isolation{CPUSecs: 100}
	s, _ := start(t, spec)
	works(t, s)
	if got := tries(t, s, "write", file); got != "ok" {
		t.Error(got)
	}
	if got := tries(t, s, "listen", "127.0.0.1:0"); got != "ok" {
		t.Error(got)
	}
}

func TestAServerThatLeaksMemoryIsEndedAndStartedAnew(t *testing.T) {
	t.Parallel()
	spec := stdioSpec(t, "plain")
	spec.Isolation = &upstream.Isolation{MemoryMB: memoryMB}
	s, _ := start(t, spec)
	works(t, s)
	if _, err := ask(t, s, leaking); mcpproxy.CodeOf(err) != mcpproxy.CodeUpstream {
		t.Errorf("got %v", err)
	}
	works(t, s)
}

func TestAServerThatNeverPausesIsEnded(t *testing.T) {
	t.Parallel()
	spec := stdioSpec(t, "plain")
	spec.Isolation = &upstream.Isolation{CPUSecs: 1}
	s, _ := start(t, spec)
	works(t, s)
	if _, err := ask(t, s, "spin"); mcpproxy.CodeOf(err) != mcpproxy.CodeUpstream {
		t.Errorf("got %v", err)
	}
}

func TestAServerWithRequiredIsolationStartsOnlyFullyConfined(t *testing.T) {
	t.Parallel()
	spec := stdioSpec(t, "plain")
	spec.Isolation = &upstream.Isolation{Read: []string{"/usr"}, NoNetwork: true, Processes: 500}
	s, _ := start(t, spec)
	works(t, s)
	st := s.Status()
	spec.Name, spec.Isolation = "required", &upstream.Isolation{
		Read:      []string{"/usr"},
		NoNetwork: true,
		Processes: 500,
		Required:  true,
	}
	r, _ := start(t, spec)
	if len(st.Isolation.Missing) == 0 {
		works(t, r)
		return
	}
	_, err := r.Shared(t.Context())
	if err == nil || !strings.Contains(err.Error(), st.Isolation.Missing[0]) {
		t.Errorf("missing %q, and the error is %v", st.Isolation.Missing, err)
	}
	if got := r.Status(); got.State != upstream.Failed && got.State != upstream.Connecting {
		t.Error(got.State)
	}
}

// Shows: GW-21.
func TestTheProgramIsAnAbsolutePathThatNotEverybodyCanChange(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file, folder, above os.FileMode
		wants               string // part of the refusal; "" if the server starts
	}{
		"a program of one's own":               {0o755, 0o755, 0o755, ""},
		"one that the group can change":        {0o775, 0o775, 0o755, ""},
		"one that everybody can change":        {0o757, 0o755, 0o755, "chmod o-w"},
		"in a folder that everybody can fill":  {0o755, 0o777, 0o755, "the folder"},
		"in a sticky folder":                   {0o755, 0o777 | os.ModeSticky, 0o755, "move the program elsewhere"},
		"below a folder that anyone can fill":  {0o755, 0o755, 0o777, "the folder"},
		"below a sticky folder, such as /tmp,": {0o755, 0o755, 0o777 | os.ModeSticky, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			above := filepath.Join(t.TempDir(), "above")
			folder := filepath.Join(above, "bin")
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(exe)
			if err != nil {
				t.Fatal(err)
			}
			program := filepath.Join(folder, "server")
			if err := os.WriteFile(program, raw, 0o700); err != nil {
				t.Fatal(err)
			}
			for path, mode := range map[string]os.FileMode{program: c.file, folder: c.folder, above: c.above} {
				if err := os.Chmod(path, mode); err != nil {
					t.Fatal(err)
				}
			}
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(program, link); err != nil {
				t.Fatal(err)
			}
			for _, way := range []string{program, link} {
				spec := stdioSpec(t, "plain")
				spec.Command = way
				s, _ := start(t, spec)
				_, err = s.Shared(t.Context())
				if (err == nil) != (c.wants == "") || err != nil && !strings.Contains(err.Error(), c.wants) {
					t.Errorf("%s: %v", way, err)
				}
				if got := s.Status().Program; c.wants == "" && got != way {
					t.Errorf("the status says %q", got)
				}
			}
		})
	}
}

func TestAProgramIsLookedForInTheServersPath(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	spec := stdioSpec(t, "plain")
	spec.Command, spec.Env["PATH"] = filepath.Base(exe), "relative:"+filepath.Dir(exe)
	s, _ := start(t, spec)
	works(t, s)
	if got := s.Status().Program; got != exe {
		t.Errorf("the status says %q", got)
	}
}
