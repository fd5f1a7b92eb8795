package connect_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mcpproxy/internal/connect"
	"mcpproxy/internal/settings"
)

// count imitates an agent that counts its starts in its settings: it reads the file, increments the counter and
// replaces the file, and keeps all other content. It fails if one of its increments is lost.
func count(path string, stop *atomic.Bool, counted *atomic.Int64) error {
	for ; !stop.Load(); counted.Add(1) {
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var all map[string]any
		if err := json.Unmarshal(raw, &all); err != nil {
			return fmt.Errorf("%q: %w", raw, err)
		}
		if got := all["starts"]; got != float64(counted.Load()) {
			return fmt.Errorf("the file says %v starts, and said %d", got, counted.Load())
		}
		all["starts"] = counted.Load() + 1
		if raw, err = json.Marshal(all); err != nil {
			return err
		}
		if err := errors.Join(os.WriteFile(path+".theirs", raw, 0o600), os.Rename(path+".theirs", path)); err != nil {
			return err
		}
		time.Sleep(15 * time.Millisecond)
	}
	return nil
}

func TestConcurrentChangesByAnAgentAreKept(t *testing.T) {
	env := world(t, t.TempDir())
	place := at(t, env, "cursor", settings.User)
	put(t, place.Path, `{"starts": 0, "mcpServers": {}}`)
	var stop atomic.Bool
	ended := make(chan error, 1)
	var counted atomic.Int64
	go func() { ended <- count(place.Path, &stop, &counted) }()
	// A fast machine makes a hundred rounds before the agent has written often enough for the test to show anything.
	for round := 0; (round < 100 || counted.Load() < 20) && round < 10_000 && len(ended) == 0; round++ {
		plan, err := place.Connect(bridge)
		apply(t, plan, err)
		plan, err = place.Disconnect()
		apply(t, plan, err)
	}
	stop.Store(true)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := counted.Load(); n < 20 {
		t.Errorf("the agent came %d times only: this test shows little", n)
	}
}

// A plan that was shown to the user is made again when it is applied, from what the file then contains.
func TestAPlanIsMadeAgainIfTheFileHasChanged(t *testing.T) {
	env := world(t, t.TempDir())
	place := at(t, env, "cursor", settings.User)
	put(t, place.Path, `{"mcpServers": {}}`)
	plan, err := place.Connect(bridge)
	put(t, place.Path, `{"theme": "dark", "mcpServers": {}}`)
	apply(t, plan, err)
	if raw := read(t, place.Path); !strings.Contains(raw, "dark") || !strings.Contains(raw, `"mcpproxy"`) {
		t.Errorf("the file is %s", raw)
	}
	plan, err = place.Disconnect()
	put(t, place.Path, strings.Replace(read(t, place.Path), "dark", "light", 1))
	apply(t, plan, err)
	if raw := read(t, place.Path); !strings.Contains(raw, "light") || strings.Contains(raw, `"mcpproxy"`) {
		t.Errorf("the file is %s", raw)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Claude Code creates a folder beside the file while it writes the file.
func TestTheLockOfClaudeCodeIsHonoured(t *testing.T) {
	env := world(t, t.TempDir())
	place := at(t, env, "claude-code", settings.User)
	put(t, place.Path, "{}")
	lock := place.Path + ".lock"
	if err := os.Mkdir(lock, 0o755); err != nil {
		t.Fatal(err)
	}
	plan, err := place.Connect(bridge)
	if err != nil {
		t.Fatal(err)
	}
	applied := make(chan error, 1)
	go func() { applied <- plan.Apply() }()
	select {
	case err := <-applied:
		t.Fatalf("the lock was not waited for: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	if raw := read(t, place.Path); raw != "{}" {
		t.Errorf("the file was written under the lock: %s", raw)
	}
	if err := errors.Join(os.Remove(lock), <-applied); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Minute) // of a program that was killed
	if err := errors.Join(os.Mkdir(lock, 0o755), os.Chtimes(lock, old, old)); err != nil {
		t.Fatal(err)
	}
	plan, err = place.Disconnect()
	apply(t, plan, err)
	if _, err := os.Stat(lock); !os.IsNotExist(err) {
		t.Errorf("the lock is left: %v", err)
	}
}

func TestALinkOutOfTheProjectIsNotFollowed(t *testing.T) {
	for name, link := range map[string]string{"the file": ".cursor/mcp.json", "its folder": ".cursor"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			env := world(t, dir)
			outside := filepath.Join(dir, "outside")
			put(t, filepath.Join(outside, "mcp.json"), "{}")
			target := outside
			if link != ".cursor" {
				target = filepath.Join(outside, "mcp.json")
			}
			path := filepath.Join(env.Project, link)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(target, path)); err != nil {
				t.Fatal(err)
			}
			place := at(t, env, "cursor", settings.Project)
			if _, err := place.Connect(
				bridge,
			); err == nil ||
				!strings.Contains(err.Error(), "outside the folder "+env.Project) {
				t.Errorf("the error is %v", err)
			}
			if raw := read(t, filepath.Join(outside, "mcp.json")); raw != "{}" {
				t.Errorf("the file outside is %s", raw)
			}
		})
	}
}

// A repository can contain any kind of file under the name of an agent's configuration file.
func TestASpecialFileIsAnErrorAtOnce(t *testing.T) {
	env := world(t, t.TempDir())
	place := at(t, env, "claude-code", settings.Project)
	for want, make := range map[string]func() error{
		"is a device":     func() error { return os.Symlink("/dev/zero", place.Path) },
		"is a named pipe": func() error { return syscall.Mkfifo(place.Path, 0o600) },
	} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
		_, listed := place.Servers()
		_, imported := connect.ReadFile(env, place.Path)
		for what, err := range map[string]error{"servers": listed, "import": imported} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: the error is %v, want that it %s", what, err, want)
			}
		}
		if err := os.Remove(place.Path); err != nil {
			t.Fatal(err)
		}
	}
	user := at(t, env, "cursor", settings.User)
	if err := errors.Join(os.MkdirAll(filepath.Dir(user.Path), 0o755), syscall.Mkfifo(user.Path, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := user.Connect(bridge); err == nil || !strings.Contains(err.Error(), "is a named pipe") {
		t.Errorf("the error is %v", err)
	}
}

// A user who connects with sudo later starts the agent without sudo.
func TestFilesCreatedByRootBelongToTheUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	env := world(t, t.TempDir())
	if err := os.Chown(env.Home, 4711, 4712); err != nil {
		t.Fatal(err)
	}
	place := at(t, env, "cursor", settings.User)
	plan, err := place.Connect(bridge)
	apply(t, plan, err)
	for _, path := range []string{filepath.Dir(place.Path), place.Path} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if s := info.Sys().(*syscall.Stat_t); s.Uid != 4711 || s.Gid != 4712 {
			t.Errorf("%s belongs to %d:%d", path, s.Uid, s.Gid)
		}
	}
}
