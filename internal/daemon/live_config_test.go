package daemon

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mcpproxy/internal/config"
)

// hangs is longer than any step here takes on a busy machine.
const hangs = 20 * time.Second

// A reference to a pipe without a writer is never resolved.
func TestAConfigurationThatHangsDelaysNeitherTheNextOneNorTheEnd(t *testing.T) {
	w := newWatched(t)
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(w.path)
	if err != nil {
		t.Fatal(err)
	}
	endless := bytes.Replace(
		good,
		[]byte("{"),
		[]byte(`{"groups": {"g": {"servers": [], "isolation": "${file:`+pipe+`}"}},`),
		1,
	)
	write := func(text []byte) {
		t.Helper()
		if err := os.WriteFile(w.path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(endless)
	began := time.Now()
	w.reload(t.Context())
	write(good)
	w.readAgain()
	if took := time.Since(began); took > hangs {
		t.Errorf("the good configuration was read after %s", took)
	}
	if why := w.facts().ConfigError; why != "" {
		t.Errorf("the good configuration is refused: %s", why)
	}
	write(endless)
	w.reload(t.Context())
	began = time.Now()
	w.stop()
	if took := time.Since(began); took > hangs {
		t.Errorf("the daemon stopped after %s", took)
	}
}

func TestAConfigurationThatOthersCanWriteDoesNotComeIntoForce(t *testing.T) {
	w := newWatched(t)
	if err := os.Chmod(w.path, 0o666); err != nil {
		t.Fatal(err)
	}
	w.readAgain()
	if why := w.facts().ConfigError; !strings.Contains(why, "chmod go-w "+w.path) {
		t.Errorf("the error is %q", why)
	}
	data := w.Config().DataDir
	if err := errors.Join(os.Chmod(w.path, 0o600), os.Chmod(data, 0o777)); err != nil {
		t.Fatal(err)
	}
	w.readAgain()
	if why := w.facts().ConfigError; !strings.Contains(why, "chmod go-w "+data) {
		t.Errorf("the error is %q", why)
	}
	if err := os.Chmod(data, 0o700); err != nil {
		t.Fatal(err)
	}
	w.readAgain()
	if why := w.facts().ConfigError; why != "" {
		t.Errorf("the error is %q", why)
	}
}

func TestOnlyTheLastReloadTakesEffect(t *testing.T) {
	var r reloader
	var group sync.WaitGroup
	ended := make(chan string, 3)
	read := func(name string, wait bool) func(context.Context) func() {
		return func(ctx context.Context) func() {
			if wait {
				<-ctx.Done()
			}
			return func() { ended <- name }
		}
	}
	r.start(t.Context(), &group, read("one that takes long", true))
	r.start(t.Context(), &group, read("the next", false))
	group.Wait()
	if len(ended) != 1 || <-ended != "the next" {
		t.Error("the reading that was overtaken counts, or the next does not")
	}
	r.start(t.Context(), &group, read("one at the end", true))
	r.close()
	r.start(t.Context(), &group, read("one after the end", false))
	group.Wait()
	if len(ended) != 0 {
		t.Errorf("%s counts", <-ended)
	}
}

// readAgain reads the configuration again and returns the outcome.
func (l *liveConfig) readAgain(t *testing.T) error {
	t.Helper()
	var group sync.WaitGroup
	var why error
	bound := func() string { return "127.0.0.1:1" }
	l.reload(t.Context(), &group, bound, func(next *loaded) { l.take(next.config) }, func(err error) { why = err })
	group.Wait()
	return why
}

func TestAReloadAppliesAllSettingsExceptThoseThatNeedARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp_config.json")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first := config.Default()
	first.Listen = "127.0.0.1:1"
	first.APIKey = "made at the start"
	first.DataDir = t.TempDir()
	l := newLiveConfig(path, first, func(c *config.Config) { c.Security.PIIDetection.Enabled = false })
	write(`{"listen": "127.0.0.1:2", "kill": `)
	if err := l.readAgain(t); err == nil || l.now() != first {
		t.Errorf("a file that does not hold is used: %v", err)
	}
	write(`{"listen": "127.0.0.1:2", "data_dir": "/elsewhere", "security": {"kill_switch": true}}`)
	if err := l.readAgain(t); err != nil {
		t.Fatal(err)
	}
	c := l.now()
	if c == first || !c.Security.KillSwitch {
		t.Error("the new configuration does not hold")
	}
	if c.Listen != first.Listen || c.DataDir != first.DataDir || c.APIKey != first.APIKey {
		t.Errorf("it listens at %s, its folder is %s and its key %q", c.Listen, c.DataDir, c.APIKey)
	}
	write(`{"listen": "0.0.0.0:2", "require_mcp_auth": false}`)
	if err := l.readAgain(t); err == nil || l.now() != c {
		t.Errorf("one that opens the daemon to other machines is used: %v", err)
	}
	l.close()
	write(`{}`)
	if err := l.readAgain(t); err != nil || l.now() != c {
		t.Errorf("a configuration is read after the end: %v", err)
	}
}
