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

// limits bound the files that are read. Agents keep histories beside their settings.
var limits = atomicfile.Limits{Bytes: 64 << 20, Wait: 10 * time.Second}

// Read is the content of a regular file; nil when there is none. A link to a file that is
// not there is an error: nobody knows what it is to become. So is what is not a regular
// file: it might have no end.
func Read(path string) ([]byte, error) {
	raw, err := atomicfile.Read(context.Background(), path, limits)
	if errors.Is(err, fs.ErrNotExist) {
		if info, lerr := os.Lstat(path); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil, fmt.Errorf("%s is a link to a file that is not there; nothing was changed", path)
		}
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w; nothing was changed", err)
	}
	return raw, nil
}

// mostTries bounds how often a plan is made again.
const mostTries = 50

// Make carries out a plan of changes. If another program changes the file between the
// plan and its change, the plan is made again from what the file says then.
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

// makeFolder makes a folder and those above it, and returns the topmost that was not
// there. Unless within is empty, no link may lead out of that folder.
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

// makeWithin makes a folder within another, also if somebody puts links there meanwhile.
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

// giveToOwner gives folders that root made, from top down to dir, to the owner of the
// folder above them, whose programs are to use them.
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

func write(path string, data []byte, mode fs.FileMode) error {
	if err := atomicfile.WriteBytes(path, mode, data); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
