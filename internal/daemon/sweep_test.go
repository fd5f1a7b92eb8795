package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcpproxy/internal/config"
)

// A start removes the remains of interrupted writes, which may contain keys. It does not remove files that are being
// written.
func TestRemainsOfInterruptedWritesAreRemovedAtTheStart(t *testing.T) {
	dir := t.TempDir()
	c := config.Default()
	c.DataDir = filepath.Join(dir, "data")
	if err := os.Mkdir(c.DataDir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "mcp_config.json")
	left := func(path, rest string, age time.Duration) string {
		t.Helper()
		path = filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new-"+rest)
		when := time.Now().Add(-age)
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, path := range []string{filepath.Join(c.DataDir, "tokens.json"), filepath.Join(c.DataDir, agentsFile), file} {
		old, now := left(path, "OLD", time.Hour), left(path, "NOW", time.Second)
		sweep(file, c)
		if _, err := os.Stat(old); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", old, err)
		}
		if _, err := os.Stat(now); err != nil {
			t.Errorf("%s, which is being written, was removed: %v", now, err)
		}
	}
}
