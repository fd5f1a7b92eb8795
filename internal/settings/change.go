package settings

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mcpproxy/internal/atomicfile"
)

// Change is the planned change of one file.
type Change struct {
	Path   string
	Before []byte // nil if there is no file
	After  []byte // nil to remove the file
}

// Nothing reports whether the file stays as it is.
func (c Change) Nothing() bool {
	return (c.Before == nil) == (c.After == nil) && bytes.Equal(c.Before, c.After)
}

// Diff returns the change as a unified diff; "" if nothing changes.
func (c Change) Diff() string { return Diff(c.Path, c.Before, c.After) }

// limits are the limits for files that are read. They are high because agents keep histories in their settings files.
var limits = atomicfile.Limits{Bytes: 64 << 20, Wait: 10 * time.Second}

// Read returns the content of a regular file, or nil if there is no file. It fails for a link to a
// missing file, because its purpose is unknown, and for a file that is not regular, because reading
// it might never end.
func Read(path string) ([]byte, error) {
	raw, err := atomicfile.Read(context.Background(), path, limits)
	if errors.Is(err, fs.ErrNotExist) {
		if info, lerr := os.Lstat(path); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil, fmt.Errorf("%s is a link to a missing file; nothing was changed", path)
		}
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w; nothing was changed", err)
	}
	return raw, nil
}

// mostTries is the maximum number of times that a plan is made.
const mostTries = 50

// Make carries out a plan of changes. If another program changes the file after the plan was made,
// Make makes the plan again from the new content.
func Make[P any](plan P, apply func(P) error, again func() (P, error)) error {
	for try := 1; ; try++ {
		err := apply(plan)
		if !errors.Is(err, atomicfile.ErrChanged) {
			return err
		}
		if try == mostTries {
			return fmt.Errorf(
				"%w, %d times in a row; nothing was changed: close that program, then try again",
				err,
				try,
			)
		}
		if plan, err = again(); err != nil {
			return err
		}
	}
}

// makeFolder makes a folder and its parents, and returns the topmost folder that it made. Unless
// within is empty, no link may lead out of that folder.
func makeFolder(dir, within string) (made string, err error) {
	real, err := atomicfile.Inside(dir, within)
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); err == nil || at == filepath.Dir(at) {
			break
		}
		made = at
	}
	if made == "" {
		return "", nil
	}
	if within == "" {
		err = os.MkdirAll(real, 0o755)
	} else {
		err = makeWithin(real, within)
	}
	return made, errors.Join(err, giveToOwner(made, dir))
}

// makeWithin makes a folder inside another. It is safe even if somebody creates links there meanwhile.
func makeWithin(dir, within string) error {
	within, err := filepath.EvalSymlinks(within)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(within)
	if err != nil {
		return err
	}
	defer root.Close()
	rel, err := filepath.Rel(within, dir)
	if err != nil {
		return err
	}
	return root.MkdirAll(rel, 0o755)
}

// giveToOwner gives the folders from top down to dir, which root made, to the owner of the folder
// above them, so that the owner's programs can use them.
func giveToOwner(top, dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(filepath.Dir(top))
	if err != nil {
		return err
	}
	uid, gid, known := atomicfile.Owner(info)
	for at := dir; known && err == nil && len(at) >= len(top); at = filepath.Dir(at) {
		err = os.Lchown(at, uid, gid)
	}
	return err
}

// tidy removes empty folders from dir upwards: folders named after mcpproxy, and the folders from
// top down, which we made.
func tidy(dir, top string) {
	for {
		within, err := filepath.Rel(top, dir)
		made := top != "" && err == nil && filepath.IsLocal(within)
		named := filepath.Base(dir) == "mcpproxy" || filepath.Base(filepath.Dir(dir)) == "mcpproxy"
		if !made && !named || os.Remove(dir) != nil { // fails if the folder is not empty
			return
		}
		dir = filepath.Dir(dir)
	}
}

func write(path string, data []byte, mode fs.FileMode) error {
	if err := atomicfile.WriteBytes(path, mode, data); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
