package upstream

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"mcpproxy/internal/atomicfile"
)

// Program returns the absolute path of the program that a stdio server is started with, found and
// checked as [Manager] does it. It uses only Command, Env and Dir of the spec.
func Program(spec Spec) (string, error) { return resolve(spec) }

// resolve finds the program of a stdio server: an absolute path, which is what
// is started. It is looked for as the server's own environment says. Symbolic
// links stay: some programs are told by their name what to do.
func resolve(spec Spec) (string, error) {
	path := spec.Command
	switch {
	case filepath.IsAbs(path):
	case strings.ContainsRune(path, filepath.Separator):
		path = filepath.Join(spec.Dir, path)
	default:
		found, err := lookPath(path, spec.Env["PATH"])
		if err != nil {
			return "", fmt.Errorf("starting %s: %w", spec.Command, err)
		}
		path = found
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("starting %s: %w", spec.Command, err)
	}
	return path, trustworthy(path)
}

// lookPath looks for a program in the folders of a PATH; in those of our own
// when there is none. What stands relative in it is passed over.
func lookPath(name, path string) (string, error) {
	if path == "" {
		return exec.LookPath(name)
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return found, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// trustworthy refuses a program that any user of this machine could have put
// there or changed: it would run with this user's rights and with the server's
// secrets. Both the path and what it leads to are looked at.
func trustworthy(path string) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("starting %s: %w", path, err)
	}
	if err := unwritable(target, "the program", false); err != nil {
		return err
	}
	for _, p := range []string{path, target} {
		if err := folders(filepath.Dir(p)); err != nil {
			return err
		}
	}
	return nil
}

// folders looks at a program's folder and those above it. Above it a folder like
// /tmp is harmless, in which only owners may rename: in the folder itself any
// user could have put the program there.
func folders(dir string) error {
	for sticky := false; ; sticky = true {
		if err := unwritable(dir, "the folder", sticky); err != nil {
			return err
		}
		above := filepath.Dir(dir)
		if above == dir {
			return nil
		}
		dir = above
	}
}

// writableByAll is the permission that every user of the machine has.
const writableByAll = 0o002

func unwritable(path, what string, stickyIsFine bool) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("looking at %s: %w", path, err)
	}
	if _, _, known := atomicfile.Owner(info); !known {
		return nil // the mode says nothing of other users there
	}
	if info.Mode().Perm()&writableByAll == 0 || stickyIsFine && info.Mode()&fs.ModeSticky != 0 {
		return nil
	}
	if info.Mode()&fs.ModeSticky != 0 {
		return fmt.Errorf(
			"%s %s is open to every user of this machine, who could have put the program there: move the program elsewhere",
			what,
			path,
		)
	}
	return fmt.Errorf(
		"%s %s can be changed by every user of this machine: run `chmod o-w %s`, or start the server from elsewhere",
		what,
		path,
		path,
	)
}
