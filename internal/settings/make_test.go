package settings_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/settings"
)

// If a program writes the file all the time, the change fails, and the error names the file.
func TestPlansAreMadeAnewForABoundedTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings")
	k := settings.Editor{Path: path, Folder: t.TempDir(), Without: func(raw []byte) ([]byte, error) { return raw, nil }}
	tries := 0
	plan := func() (settings.Change, error) {
		if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
			return settings.Change{}, err
		}
		return settings.Change{Path: path, Before: []byte("before theirs"), After: []byte("ours")}, nil
	}
	first, err := plan()
	if err != nil {
		t.Fatal(err)
	}
	err = settings.Make(first, func(c settings.Change) error {
		tries++
		return k.Enter(c)
	}, plan)
	if !errors.Is(err, atomicfile.ErrChanged) || !strings.Contains(err.Error(), "nothing was changed") || tries < 2 ||
		tries > 100 {
		t.Errorf("after %d tries the error is %v", tries, err)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != "theirs" {
		t.Errorf("the file is %q, %v", raw, err)
	}
}
