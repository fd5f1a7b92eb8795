package config_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcpproxy/internal/config"
)

// watched returns a watched file and a channel that receives its changes.
func watched(t *testing.T) (path string, changed chan struct{}) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "c.json")
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	changed = make(chan struct{}, 100)
	if err := config.Watch(t.Context(), path, func() { changed <- struct{}{} }); err != nil {
		t.Fatal(err)
	}
	return path, changed
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const longEnough = 5 * time.Second

func TestWatchNoticesEveryWayToSave(t *testing.T) {
	for name, save := range map[string]func(*testing.T, string){
		"writing in place": func(t *testing.T, path string) { write(t, path, `{"listen": "127.0.0.1:1"}`) },
		"replacing by rename": func(t *testing.T, path string) {
			write(t, path+".tmp", "{ }")
			if err := os.Rename(path+".tmp", path); err != nil {
				t.Fatal(err)
			}
		},
		"removing and writing anew": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			write(t, path, "{  }")
		},
	} {
		t.Run(name, func(t *testing.T) {
			path, changed := watched(t)
			for range 2 { // the second save must be noticed as well
				save(t, path)
				select {
				case <-changed:
				case <-time.After(longEnough):
					t.Fatal("not noticed")
				}
			}
		})
	}
}

func TestWatchOfAFolderThatIsNotThereIsAnError(t *testing.T) {
	if err := config.Watch(t.Context(), filepath.Join(t.TempDir(), "no", "c.json"), func() {}); err == nil {
		t.Error("no error")
	}
}
