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

// Program returns the absolute path of the program of a stdio server, found and checked as
// [Manager] does. It uses only Command, Env and Dir of the spec.
func Program(spec Spec) (string, error) { return resolve(spec) }

// resolve finds the program of a stdio server and returns its absolute path. It searches the PATH of the server's own
// environment. It keeps symbolic links, because some programs act according to the name by which they are called.
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

// lookPath searches the folders of a PATH, or of this process's PATH if there is none, for a
// program. It skips relative folders.
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

// trustworthy refuses a program that any other user could have created or changed, because it would
// run with this user's rights and the server's secrets. It checks the path and its target.
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

// folders checks a program's folder and the folders above it. A parent folder like /tmp, in which
// only owners may rename files, is accepted. The program's own folder may not be like that, because
// any user could have created the program there.
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

// writableByAll is the write permission for all users.
const writableByAll = 0o002

func unwritable(path, what string, stickyIsFine bool) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("reading the file information of %s: %w", path, err)
	}
	if _, _, known := atomicfile.Owner(info); !known {
		return nil // the mode is meaningless on this system
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
