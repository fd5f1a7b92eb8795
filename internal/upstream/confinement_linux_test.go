package upstream_test

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mcpproxy/internal/eventually"
	"mcpproxy/internal/upstream"
)

// expect checks what a server can do and what it cannot do.
func expect(t *testing.T, s *upstream.Server, may bool, what, where string) {
	t.Helper()
	if got := tries(t, s, what, where); (got == "ok") != may {
		t.Errorf("%s %s: %s, wanted %t", what, where, got, may)
	}
}

// needsLandlock skips a test if the kernel has no Landlock or an older version of it.
func needsLandlock(t *testing.T, s *upstream.Server, version int) {
	t.Helper()
	works(t, s)
	if got := s.Status().Isolation.Landlock; got < version {
		t.Skipf("SKIPPED: the kernel has Landlock %d, and this needs %d", got, version)
	}
}

// write makes files with their folders.
func write(t *testing.T, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNoIsolationOpensMcpproxysOwnFiles(t *testing.T) {
	t.Parallel()
	for name, isolation := range map[string]upstream.Isolation{
		"the network alone":       {NoNetwork: true, Required: true},
		"a limit alone":           {CPUSecs: 100},
		"the folder above, named": {Write: []string{"HOME"}},
		"the standard profile":    {Standard: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			own, conf := filepath.Join(home, "own"), filepath.Join(home, "conf", "mcp_config.json")
			stray, work := filepath.Join(home, "linked.json"), filepath.Join(home, "work")
			key := filepath.Join(own, "key")
			write(t, key, conf, filepath.Join(work, "f"))
			if err := os.Symlink(conf, stray); err != nil { // a configuration outside the usual folder
				t.Fatal(err)
			}
			isolation.Private = []string{own, stray}
			if isolation.Write != nil {
				isolation.Write = []string{home}
			}
			spec := stdioSpec(t, "plain")
			spec.Isolation = &isolation
			s, _ := start(t, spec)
			needsLandlock(t, s, 1)
			expect(t, s, true, "read", filepath.Join(work, "f"))
			expect(t, s, true, "write", filepath.Join(work, "new"))
			expect(t, s, true, "list", home)
			for _, path := range []string{key, conf, stray} {
				expect(t, s, false, "read", path)
				expect(t, s, false, "write", path)
				expect(t, s, false, "remove", path)
			}
			expect(t, s, false, "make a file in", own)
			expect(t, s, false, "make a file in", filepath.Dir(conf))
		})
	}
}

func TestAPathInMcpproxysOwnFilesIsRefused(t *testing.T) {
	t.Parallel()
	own := t.TempDir()
	write(t, filepath.Join(own, "sub", "key"))
	spec := stdioSpec(t, "plain")
	spec.Isolation = &upstream.Isolation{Read: []string{filepath.Join(own, "sub")}, Private: []string{own}}
	s, _ := start(t, spec)
	if _, err := s.Shared(t.Context()); err == nil || !strings.Contains(err.Error(), "isolation.read") {
		t.Errorf("got %v", err)
	}
}

func TestTheStandardProfileHidesKeysAndKeepsTheRestOpen(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	in := func(name string) string { return filepath.Join(home, name) }
	hidden := []string{".ssh/id_rsa", ".aws/credentials", ".config/gcloud/x.json", ".docker/config.json", ".netrc",
		".mozilla/firefox/cookies", ".config/google-chrome/Default/Cookies", ".password-store/a.gpg", ".claude.json",
		".codex/config.toml", ".config/goose/config.yaml", ".agents/plugins/other/hooks.json", ".mcpproxy/mcp_config.json"}
	open := []string{".config/other/f", ".docker/other", "projects/a/f"}
	for _, name := range slices.Concat(hidden, open, []string{".bashrc", ".kube/config"}) {
		write(t, in(name))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	spec := stdioSpec(t, "plain")
	spec.Isolation = &upstream.Isolation{Standard: true, Read: []string{in(".kube")}}
	s, _ := start(t, spec)
	needsLandlock(t, s, 2)
	for _, name := range hidden {
		expect(t, s, false, "read", in(name))
		expect(t, s, false, "write", in(name))
		expect(t, s, false, "remove", in(name))
	}
	for _, name := range open {
		expect(t, s, true, "read", in(name))
		expect(t, s, true, "write", in(name))
		expect(t, s, true, "chmod", in(name))
	}
	expect(t, s, true, "write", in(".npm/new"))
	expect(t, s, true, "write", in(".cache/new"))
	expect(t, s, true, "read", in(".bashrc"))
	expect(t, s, false, "write", in(".bashrc"))
	expect(t, s, true, "read", in(".kube/config")) // which the isolation names
	expect(t, s, false, "write", in(".kube/config"))
	expect(t, s, true, "connect", l.Addr().String())
	expect(t, s, true, "run", "/bin/true")
	if got := s.Status().Isolation.Profile; got != "standard" {
		t.Errorf("the status says %q", got)
	}
}

func TestALinkInAWritableFolderGrantsNoAccess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	work, keys := filepath.Join(dir, "w"), filepath.Join(dir, "keys")
	write(t, filepath.Join(keys, "id_rsa"), filepath.Join(work, "sub", "f"))
	spec := stdioSpec(t, "plain")
	spec.Dir = filepath.Join(work, "sub")
	spec.Isolation = &upstream.Isolation{Write: []string{work}, Private: []string{filepath.Join(dir, "own")}}
	s, m := start(t, spec)
	needsLandlock(t, s, 1)
	if err := os.RemoveAll(spec.Dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(keys, spec.Dir); err != nil { // the server can do the same
		t.Fatal(err)
	}
	m.Reopen(spec.Name)
	var err error
	eventually.True(t, "the server is refused", func() bool { _, err = s.Shared(t.Context()); return err != nil })
	if !strings.Contains(err.Error(), "symbolic link") || !strings.Contains(err.Error(), "working_dir") {
		t.Errorf("the error is %v", err)
	}
	fresh, _ := start(t, spec) // nor after a restart of mcpproxy, which has forgotten the link's earlier target
	if _, err := fresh.Shared(t.Context()); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("the error is %v", err)
	}
}

func TestAPathThatLeadsElsewhereIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := filepath.Join(dir, "a")
	second := filepath.Join(dir, "b")
	link := filepath.Join(dir, "link")
	write(t, filepath.Join(first, "f"), filepath.Join(second, "f"))
	if err := os.Symlink(first, link); err != nil {
		t.Fatal(err)
	}
	spec := stdioSpec(t, "plain")
	spec.Isolation = &upstream.Isolation{Read: []string{link}}
	s, m := start(t, spec)
	needsLandlock(t, s, 1)
	expect(t, s, true, "read", filepath.Join(link, "f"))
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(second, link); err != nil {
		t.Fatal(err)
	}
	m.Reopen(spec.Name)
	var err error
	eventually.True(t, "the server is refused", func() bool { _, err = s.Shared(t.Context()); return err != nil })
	if !strings.Contains(err.Error(), "now leads to "+second) {
		t.Errorf("the error is %v", err)
	}
}

func TestAReloadLoosensNoIsolation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "secret"))
	spec := stdioSpec(t, "plain")
	spec.Isolation = &upstream.Isolation{Read: []string{"/usr"}, NoNetwork: true, MemoryMB: 4096}
	s, m := start(t, spec)
	needsLandlock(t, s, 1)
	for name, c := range map[string]struct {
		changed *upstream.Isolation
		wants   string
	}{
		"none":            {nil, "isolation"},
		"another network": {&upstream.Isolation{Read: []string{"/usr"}, MemoryMB: 4096}, "network"},
		"another folder":  {&upstream.Isolation{Read: []string{"/usr", dir}, NoNetwork: true, MemoryMB: 4096}, "read"},
		"no files":        {&upstream.Isolation{NoNetwork: true, MemoryMB: 4096}, "read and write unix_sockets"},
		"more memory":     {&upstream.Isolation{Read: []string{"/usr"}, NoNetwork: true}, "memory_mb"},
	} {
		changed := spec
		changed.Isolation = c.changed
		m.Apply([]upstream.Spec{changed})
		now, _ := m.Get(spec.Name)
		if now != s {
			t.Errorf("%s: the server is another", name)
		}
		if got := strings.Join(now.Status().Unconfirmed, " "); got != c.wants && !strings.HasPrefix(c.wants, got+" ") {
			t.Errorf("%s: not confirmed are %q, wanted %q", name, got, c.wants)
		}
		expect(t, now, false, "read", filepath.Join(dir, "secret"))
		expect(t, now, false, "udp", "127.0.0.1:9")
	}
	m.Apply(nil) // removing it in between does not help
	free := spec
	free.Isolation = nil
	m.Apply([]upstream.Spec{free})
	again, _ := m.Get(spec.Name)
	works(t, again)
	expect(t, again, false, "read", filepath.Join(dir, "secret"))
	tight := spec
	tight.Isolation = &upstream.Isolation{Read: []string{"/usr/lib"}, NoNetwork: true, MemoryMB: 2048}
	m.Apply([]upstream.Spec{tight})
	if now, _ := m.Get(spec.Name); now.Status().Unconfirmed != nil {
		t.Errorf("what is tighter waits: %v", now.Status().Unconfirmed)
	}
	fresh, _ := start(t, free) // a new manager is a restart by the owner
	works(t, fresh)
	expect(t, fresh, true, "read", filepath.Join(dir, "secret"))
}

func TestWaysAroundTheConfinementAreClosed(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("SKIPPED: system calls are not filtered on this processor")
	}
	dir := t.TempDir()
	file, folder := filepath.Join(dir, "w", "f"), filepath.Join(dir, "w")
	point := t.TempDir()
	write(t, file)
	spec := stdioSpec(t, "plain")
	free, _ := start(t, spec)
	spec.Isolation = &upstream.Isolation{CPUSecs: 100}
	limited, _ := start(t, spec)
	spec.Isolation = &upstream.Isolation{Write: []string{folder}}
	named, _ := start(t, spec)
	works(t, free)
	works(t, named)
	needsLandlock(t, limited, 6)
	for _, c := range []struct {
		what, where    string
		limited, named bool
	}{
		{"list keys", "", false, false},
		{"share memory", "", false, false},
		{"watch page faults", "", false, false},
		{"send to netlink", "", false, false},
		{"read routes", "", true, true},
		{"listen to others", "", false, false},
		{"start a namespace", "", false, false},
		{"unshare", "", false, false},
		{"mount", point, false, false},
		{"signal", strconv.Itoa(os.Getpid()), false, false},
		{"type for the user", "", false, false},
		{"chmod", file, true, false},
		{"chown", file, true, false},
		{"set an attribute", file, true, false},
		{"change the mode of an open file", file, true, true},
	} {
		got := tries(t, free, c.what, c.where)
		if got != "ok" && !cannot[c.what] {
			t.Errorf("without isolation: %s: %s", c.what, got)
		}
		if got != "ok" {
			t.Logf("NOT SHOWN: without isolation, %s says %s on this system", c.what, got)
			continue
		}
		expect(t, limited, c.limited, c.what, c.where)
		expect(t, named, c.named, c.what, c.where)
	}
	_ = unix.Unmount(point, unix.MNT_DETACH) // mount points that the server without isolation has created
}

// cannot lists attempts that fail on some systems even without confinement, because they need root or an optional part
// of the kernel.
var cannot = map[string]bool{
	"list keys":         true,
	"share memory":      true,
	"watch page faults": true,
	"listen to others":  true,
	"mount":             true,
	"start a namespace": true,
	"unshare":           true,
	"type for the user": true,
	"set an attribute":  true,
}

func TestAnOrphanOfAConfinedServerEndsWithIt(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	held, err := os.OpenFile(pipe, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	spec := stdioSpec(t, "plain")
	spec.Isolation = &upstream.Isolation{CPUSecs: 100}
	s, m := start(t, spec)
	works(t, s)
	expect(t, s, true, "leave an orphan", pipe)
	var said [64]byte
	eventually.True(t, "the orphan runs", func() bool {
		n, _ := held.Read(said[:])
		return string(said[:n]) == "started\n"
	})
	_ = held.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if _, err := held.Read(said[:]); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("the orphan does not hold the pipe: %v", err)
	}
	_ = held.SetReadDeadline(time.Time{})
	m.Apply(nil)
	eventually.True(t, "it is gone", func() bool {
		_, err := held.Read(said[:])
		return err == io.EOF
	})
}
