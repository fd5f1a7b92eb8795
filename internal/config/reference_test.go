package config_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpproxy/internal/config"
)

// referring writes a configuration that refers to a file, and returns its path.
func referring(t *testing.T, secret string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mcp_config.json")
	text := fmt.Sprintf(`{"mcpServers": {"a": {"command": "x", "env": {"TOKEN": "${file:%s}"}}}}`, secret)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestASecretFileIsTakenByItsMode(t *testing.T) {
	for mode, want := range map[fs.FileMode]struct{ refused, exposed string }{
		0o600: {},
		0o644: {exposed: "can be read by other users (mode 0644); run: chmod go-r "},
		0o666: {refused: "can be changed by other users (mode 0666); run: chmod go-w "},
	} {
		secret := filepath.Join(t.TempDir(), "token")
		if err := errors.Join(os.WriteFile(secret, []byte("s3cret\n"), 0o600), os.Chmod(secret, mode)); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(t.Context(), referring(t, secret))
		if want.refused != "" {
			if err == nil || !strings.Contains(err.Error(), want.refused+secret) {
				t.Errorf("%04o: the error is %v", mode, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Servers[0].Env["TOKEN"]; got != "s3cret" {
			t.Errorf("%04o: the secret is %q", mode, got)
		}
		if got := strings.Join(c.Exposed, ""); !strings.Contains(got, want.exposed) || want.exposed == "" && got != "" {
			t.Errorf("%04o: exposed are %q", mode, got)
		}
	}
}

func TestASecretFileWithoutAnEndIsRefused(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, make([]byte, 1<<20+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:   "is a folder: only regular files and named pipes are read",
		large: "is too large: it has more than 1048576 bytes",
	} {
		_, err := config.Load(t.Context(), referring(t, path))
		if _, ok := errors.AsType[*config.Error](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", path, err)
		}
	}
	if _, err := config.Lookup("file", "/dev/zero"); err == nil || !strings.Contains(err.Error(), "is a device") {
		t.Errorf("/dev/zero: the error is %v", err)
	}
}

func TestAPipeGivesASecretUnlessTheReadingEndsBefore(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	path := referring(t, pipe)
	soon, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := config.Load(soon, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without a writer: %v", err)
	}
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(pipe, []byte("s3cret\n"), 0) }()
	c, err := config.Load(t.Context(), path)
	if err := errors.Join(err, <-written); err != nil {
		t.Fatal(err)
	}
	if got := c.Servers[0].Env["TOKEN"]; got != "s3cret" {
		t.Errorf("the secret is %q", got)
	}
}

func TestAConfigurationIsARegularFileThatNobodyElseChanges(t *testing.T) {
	dir := t.TempDir()
	pipe, open := filepath.Join(dir, "pipe"), filepath.Join(dir, "open")
	err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.WriteFile(open, []byte("{}"), 0o600), os.Chmod(open, 0o666))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{pipe: "is a named pipe: only regular files are read", open: "run: chmod go-w " + open} {
		if _, err := config.Load(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", path, err)
		}
	}
}

// If everybody can read a file with a new key, the mode of the file is changed.
func TestAKeyMakesAFileForEverybodyPrivate(t *testing.T) {
	for before, after := range map[fs.FileMode]fs.FileMode{0o644: 0o600, 0o640: 0o640, 0o600: 0o600} {
		path := filepath.Join(t.TempDir(), "mcp_config.json")
		if err := errors.Join(os.WriteFile(path, []byte("{}"), 0o600), os.Chmod(path, before)); err != nil {
			t.Fatal(err)
		}
		c := config.Default()
		if err := config.EnsureKey(path, c); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != after {
			t.Errorf("%04o became %04o", before, info.Mode().Perm())
		}
	}
}
