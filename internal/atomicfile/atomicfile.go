// Package atomicfile reads and replaces files whole: configuration, tokens, keys,
// snapshots, exports, and the settings of agents.
//
// [Write] replaces a file of our own. At any moment, also after a crash or a power
// failure, the file at the path is the old one or the new one, each from its first byte
// to its last. When Write returns without an error, the new one is on the disk.
//
// An [Edit] does the same with a file that other programs write too, and loses none of
// their changes: it replaces the file only if it still has the content from which the
// new one was made.
//
// Both keep the owner, the group and, where the caller wants it, the mode of the file
// that they replace, also when root runs them.
//
// [Read] reads a file with bounds, which no device, pipe or file of any size can
// exceed. [CheckWriters] tells whether other users can change a file.
//
// The new file is written beside the old one, synced, and renamed over it; then the
// folder is synced, which keeps the name (POSIX rename(2) is atomic, and says nothing
// of what is on the disk).
package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Write replaces the file at path by what write writes, and gives it a mode: 0600 for
// what only the owner may read. While the file is being written, nobody else can read
// it. A symbolic link is followed: the file that it leads to is replaced. A file that
// is replaced keeps its owner and group; if that is not possible, Write fails. When
// write fails, its error is returned and the old file stays.
func Write(path string, mode fs.FileMode, write func(io.Writer) error) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	dir, err := openFolder(path, "")
	if err != nil {
		return err
	}
	defer dir.Close()
	old, err := dir.stat()
	if err != nil {
		return err
	}
	new, err := dir.draft(old, mode, write)
	if err != nil {
		return err
	}
	defer new.drop()
	if err := dir.root.Rename(new.name, dir.name); err != nil {
		return err
	}
	return dir.sync()
}

// WriteBytes is [Write] for data that is in memory.
func WriteBytes(path string, mode fs.FileMode, data []byte) error {
	return Write(path, mode, bytesWriter(data))
}

func bytesWriter(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// Sweep removes what crashes left of files that were being written for path. Only the
// one program that writes there may call it, and not while it writes.
func Sweep(path string) error { return sweep(path, func(fs.DirEntry) bool { return true }) }

// leftAfter is how old a file must be that nobody writes any more.
const leftAfter = 10 * time.Minute

// SweepOld is Sweep for a file that several programs write: it leaves what is new.
func SweepOld(path string) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return sweep(path, func(e fs.DirEntry) bool {
		info, err := e.Info()
		return err == nil && time.Since(info.ModTime()) > leftAfter
	})
}

func sweep(path string, left func(fs.DirEntry) bool) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), unfinished(path)) && left(e) {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(path), e.Name())))
		}
	}
	return err
}

// unfinished is how the names of files begin that are to replace the one at path.
func unfinished(path string) string { return "." + filepath.Base(path) + ".new-" }

// folder is the open folder of a file. What is done there is done in that folder even
// if another one takes its path meanwhile.
type folder struct {
	root *os.Root
	name string // of the file in it
	path string // of the file, for messages
}

// openFolder opens the folder of the file at path, which is not a symbolic link. Unless
// within is empty, the folder must be within that one.
func openFolder(path, within string) (*folder, error) {
	dir := &folder{name: filepath.Base(path), path: path}
	var err error
	if within == "" {
		dir.root, err = os.OpenRoot(filepath.Dir(path))
		return dir, err
	}
	rel, err := filepath.Rel(within, filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	top, err := os.OpenRoot(within)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	dir.root, err = top.OpenRoot(rel) // fails where a link leads out of it
	return dir, err
}

func (d *folder) Close() error { return d.root.Close() }

// stat describes the file; nil if there is none. What is not a regular file is an error:
// it is never replaced.
func (d *folder) stat() (fs.FileInfo, error) {
	info, err := d.root.Lstat(d.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is %s and is not replaced: only regular files are", d.path, kind(info.Mode()))
	}
	return info, nil
}

// draft is a new file that is to take the name of another in its folder.
type draft struct {
	folder *folder
	name   string
	file   *os.File
	info   fs.FileInfo
}

// draft writes a new file beside the one in the folder, with the owner and the group of
// old, unless that is nil. It is on the disk when draft returns.
func (d *folder) draft(old fs.FileInfo, mode fs.FileMode, write func(io.Writer) error) (*draft, error) {
	name := unfinished(d.name) + rand.Text()
	file, err := d.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", d.path, err)
	}
	new := &draft{folder: d, name: name, file: file}
	err = write(file)
	if err == nil && old != nil {
		err = d.keepOwner(file, old)
	}
	if err == nil {
		err = file.Chmod(mode) // after the owner, whose change can take rights away
	}
	if err == nil {
		err = file.Sync()
	}
	if err == nil {
		new.info, err = file.Stat()
	}
	if err != nil {
		new.drop()
		return nil, err
	}
	return new, nil
}

// drop removes what has the draft's own name: the draft unless it was renamed, or the
// file that it was exchanged for.
func (n *draft) drop() {
	n.file.Close()
	_ = n.folder.root.Remove(n.name) // was renamed
}

// keepOwner gives a new file the owner and the group of an old one.
func (d *folder) keepOwner(tmp *os.File, old fs.FileInfo) error {
	info, err := tmp.Stat()
	if err != nil {
		return err
	}
	uid, gid, known := Owner(old)
	haveUID, haveGID, ok := Owner(info)
	if !known || !ok || uid == haveUID && gid == haveGID {
		return nil
	}
	if err := tmp.Chown(uid, gid); err != nil {
		return fmt.Errorf("%s belongs to user %d and group %d and would not after a change: "+
			"nothing was changed; run the command as its owner: %w", d.path, uid, gid, errors.Unwrap(err))
	}
	return nil
}

// sync keeps the names in the folder.
func (d *folder) sync() error {
	dir, err := d.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(syncFolder(dir), dir.Close())
}
