//go:build unix

package program

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A package can contain files whose reading never ends, or links that lead out of it. Reading such a package must end
// in time.
func TestAHostilePackageIsReadInBoundedTimeOrIsUnknown(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(t *testing.T, dir string) error
		known bool // whether it still has a hash
	}{
		"a link to itself":           {func(_ *testing.T, dir string) error { return os.Symlink("loop", filepath.Join(dir, "loop")) }, true},
		"a link to the folder above": {func(_ *testing.T, dir string) error { return os.Symlink("..", filepath.Join(dir, "up")) }, true},
		"a named pipe":               {func(_ *testing.T, dir string) error { return syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600) }, false},
		"a file larger than the limit": {func(_ *testing.T, dir string) error {
			path := filepath.Join(dir, "huge")
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				return err
			}
			return os.Truncate(path, 1<<40)
		}, false},
		"more files than the limit": {func(_ *testing.T, dir string) error {
			for n := range 300 {
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("f", n)), nil, 0o600); err != nil {
					return err
				}
			}
			return nil
		}, false},
		"folders that are too deep": {func(_ *testing.T, dir string) error {
			return os.MkdirAll(filepath.Join(dir, strings.Repeat("d/", maxDepth+2)), 0o700)
		}, false},
		"a file that must not be read": {func(t *testing.T, dir string) error {
			if os.Getuid() == 0 {
				t.Skip("root reads every file")
			}
			return os.WriteFile(filepath.Join(dir, "secret"), nil, 0o000)
		}, false},
		"a description that is no file": {func(_ *testing.T, dir string) error {
			path := filepath.Join(dir, "package.json")
			if err := os.Remove(path); err != nil {
				return err
			}
			return syscall.Mkfifo(path, 0o600)
		}, false},
		"a description that is a link out of it": {func(t *testing.T, dir string) error {
			path := filepath.Join(dir, "package.json")
			out := put(t, t.TempDir(), map[string]string{"package.json": `{"name": "@acme/weather"}`})
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Symlink(filepath.Join(out, "package.json"), path)
		}, false},
		"a description that cannot be read": {func(_ *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"name": `), 0o600)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			start := npmHome(t, "@acme/weather", map[string]string{
				"package.json": `{"name": "@acme/weather", "version": "1.2.3"}`, "index.js": "x"})
			dir := filepath.Join(strings.TrimPrefix(start.Env[0], "HOME="), ".npm", "_npx", npmHash("@acme/weather"),
				"node_modules", "@acme", "weather")
			if err := c.do(t, dir); err != nil {
				t.Fatal(err)
			}
			r := Reader{Limits: Limits{Bytes: 1 << 20, Files: 200, Time: 5 * time.Second}}
			began := time.Now()
			p := r.Read(t.Context(), Open(start))
			if (p.SHA256 != "") != c.known || (p.Unknown == "") != c.known {
				t.Errorf("%+v", p)
			}
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// The same applies to a file in the place of a script.
func TestAHostileScriptIsUnknown(t *testing.T) {
	dir := t.TempDir()
	for name, make := range map[string]func(path string) error{
		"pipe.js":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"loop.js":   func(path string) error { return os.Symlink(filepath.Base(path), path) },
		"device.js": func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		if err := make(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		p := of(t, Command{
			Name: "node",
			Path: "/usr/bin/node",
			Args: []string{name},
			Dir:  dir,
		})
		if p.SHA256 != "" || p.Unknown == "" {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// A file system that does not respond blocks only the reading goroutine.
func TestReadingIsGivenUpWhenItsTimeIsOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "slow")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0) // reading it blocks, because nobody writes
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(put(t, t.TempDir(), map[string]string{"x": "content"}) + "/x")
	if err != nil {
		t.Fatal(err)
	}
	r := Reader{Limits: Limits{Bytes: 1 << 20, Files: 10, Time: 100 * time.Millisecond}}
	began := time.Now()
	p := r.Read(t.Context(), &Started{
		subject: "slow",
		tree:    path,
		file:    f,
		info:    info,
	})
	if p.SHA256 != "" || p.Unknown != "reading it took too long" || time.Since(began) > 3*time.Second {
		t.Errorf("%+v after %s", p, time.Since(began))
	}
	if err := f.Close(); err == nil { // now the blocked read returns
		return
	}
}
