package settings_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcpproxy/internal/settings"
)

func TestAStampChangesWithTheFolderAndRestsOnlyWhenItIsOld(t *testing.T) {
	folder := t.TempDir()
	old := time.Now().Add(-time.Hour)
	age := func(path string) {
		t.Helper()
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	age(folder)
	before, resting := settings.Stamp(folder)
	if !resting {
		t.Error("an old folder does not rest")
	}
	entry := filepath.Join(folder, "settings.json-1")
	if err := os.Mkdir(entry, 0o700); err != nil {
		t.Fatal(err)
	}
	made, resting := settings.Stamp(folder)
	if made == before || resting {
		t.Errorf("a new entry: the same stamp %v, resting %v", made == before, resting)
	}
	age(folder)
	age(entry)
	aged, resting := settings.Stamp(folder)
	if !resting {
		t.Error("old entries do not rest")
	}
	if err := os.WriteFile(filepath.Join(entry, "note"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if noted, resting := settings.Stamp(folder); noted == aged || resting {
		t.Errorf("a note in an entry: the same stamp %v, resting %v", noted == aged, resting)
	}
}
