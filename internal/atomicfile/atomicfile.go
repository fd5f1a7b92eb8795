// Package atomicfile replaces files whole: configuration, tokens, keys, snapshots,
// exports.
//
// Guarantee: at any moment, also after a crash or a power failure, the file at the
// path is the old one or the new one, each from its first byte to its last. When
// [Write] returns without an error, the new one is on the disk.
//
// The new file is written beside the old one, synced, and renamed over it; then the
// folder is synced, which keeps the name (POSIX rename(2) is atomic, and says
// nothing of what is on the disk).
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Write replaces the file at path by what write writes, and gives it a mode: 0600
// for whatever concerns the owner alone. While it is being written, nobody but the
// owner can read it. A symbolic link stays one: the file that it leads to is
// replaced. When write fails, its error is returned and the old file stays.
func Write(path string, mode fs.FileMode, write func(io.Writer) error) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), unfinished(path)+"*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // unless it was renamed
	if err = write(tmp); err == nil && mode != 0o600 {
		err = tmp.Chmod(mode)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// WriteBytes is [Write] of bytes that are at hand.
func WriteBytes(path string, mode fs.FileMode, data []byte) error {
	return Write(path, mode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Sweep removes what crashes left of files that were being written for path. Only
// who alone writes there may call it, and not while writing.
func Sweep(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), unfinished(path)) {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(path), e.Name())))
		}
	}
	return err
}

// unfinished begins the names of files that are to replace the one at path.
func unfinished(path string) string { return "." + filepath.Base(path) + ".new-" }

func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
