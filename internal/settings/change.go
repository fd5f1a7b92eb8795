package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mcpproxy/internal/atomicfile"
)

// Change is what becomes of one file.
type Change struct {
	Path   string
	Before []byte // nil: there is none
	After  []byte // nil: it goes
}

// Nothing reports whether the file stays as it is.
func (c Change) Nothing() bool {
	return (c.Before == nil) == (c.After == nil) && bytes.Equal(c.Before, c.After)
}

// Diff is the change as a unified diff; "" when there is none.
func (c Change) Diff() string { return Diff(c.Path, c.Before, c.After) }

// Read is a file's content; nil when there is none. A link to a file that is not
// there is an error: nobody knows what it is to become.
func Read(path string) ([]byte, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if info, lerr := os.Lstat(path); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil, fmt.Errorf("%s is a link to a file that is not there; nothing was changed", path)
		}
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w; nothing was changed", err)
	}
	if raw == nil {
		raw = []byte{}
	}
	return raw, nil
}

// makeFolder makes a folder and those above it, and returns the topmost that was
// not there.
func makeFolder(dir string) (made string, err error) {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); err == nil || at == filepath.Dir(at) {
			break
		}
		made = at
	}
	return made, os.MkdirAll(dir, 0o755)
}

// tidy removes empty folders from dir upwards: those named after us, and those
// within top, which was made for us.
func tidy(dir, top string) {
	for {
		within, err := filepath.Rel(top, dir)
		made := top != "" && err == nil && filepath.IsLocal(within)
		named := filepath.Base(dir) == "mcpproxy" || filepath.Base(filepath.Dir(dir)) == "mcpproxy"
		if !made && !named || os.Remove(dir) != nil { // what is not empty stays
			return
		}
		dir = filepath.Dir(dir)
	}
}

// replace writes a file of settings, and leaves its mode; mode is that of a new one.
func replace(path string, data []byte, mode fs.FileMode) error {
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	return write(path, data, mode)
}

func write(path string, data []byte, mode fs.FileMode) error {
	if err := atomicfile.WriteBytes(path, mode, data); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
