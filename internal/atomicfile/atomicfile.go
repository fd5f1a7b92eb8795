// Package atomicfile reads and replaces whole files: configuration, tokens, keys, snapshots, exports, and the settings
// of agents.
//
// [Write] replaces a file that only mcpproxy writes. At any moment, even after a crash or a power failure, the path
// names either the complete old file or the complete new one. When Write has returned without an error, the new file
// is on the disk.
//
// An [Edit] does the same with a file that other programs also write, without losing their changes: it replaces the
// file only if the file still has the content from which the new content was made.
//
// Both keep the owner, the group and, if the caller wants it, the mode of the replaced file, even if root runs them.
//
// [Read] reads a file with limits on its size and on the time, and refuses devices. [CheckWriters] tells whether other
// users can change a file.
//
// The new file is written next to the old one, synced, and renamed. Then the folder is synced, so that the new name is
// on the disk too: rename(2) is atomic but does not guarantee this.
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

// Write replaces the file at path with the output of write, and sets its mode; use 0600 for a file
// that only the owner may read. While the file is being written, no other user can read it. Write
// follows a symbolic link and replaces its target. A replaced file keeps its owner and group; if
// that is impossible, Write fails. If write fails, Write returns its error and the old file stays.
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

// WriteBytes is [Write] for data in memory.
func WriteBytes(path string, mode fs.FileMode, data []byte) error {
	return Write(path, mode, bytesWriter(data))
}

func bytesWriter(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// Sweep removes unfinished files that crashes left beside path. Only the one program that writes
// path may call it, and not while it writes.
func Sweep(path string) error { return sweep(path, func(fs.DirEntry) bool { return true }) }

// leftAfter is the age from which an unfinished file counts as left by a crash.
const leftAfter = 10 * time.Minute

// SweepOld is Sweep for a file that several programs write: it only removes old unfinished files.
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

// unfinished returns the prefix of the names of unfinished files for path.
func unfinished(path string) string { return "." + filepath.Base(path) + ".new-" }

// folder is the open folder of a file. All operations apply to this folder, even if another folder
// takes its path meanwhile.
type folder struct {
	root *os.Root
	name string // name of the file in it
	path string // path of the file, for messages
}

// openFolder opens the folder of the file at path, which must not be a symbolic link. Unless within
// is empty, the folder must be inside the folder within.
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

// stat returns the file's description, or nil if there is no file. It returns an error for a folder, a link or
// another special file, because only regular files are replaced.
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

// draft is a new file that will replace another file in its folder.
type draft struct {
	folder *folder
	name   string
	file   *os.File
	info   fs.FileInfo
}

// draft writes a new file beside the one in the folder. Unless old is nil, the new file gets the
// owner and group of old. The file is synced to disk when draft returns.
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
		err = file.Chmod(mode) // after the change of the owner, which can clear mode bits
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

// drop removes the file with the draft's temporary name: the draft unless it was renamed, or the
// file that it was exchanged with.
func (n *draft) drop() {
	n.file.Close()
	_ = n.folder.root.Remove(n.name) // was renamed
}

// keepOwner gives a new file the owner and group of an old one.
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
		return fmt.Errorf("%s belongs to user %d and group %d, and a change would alter that: "+
			"nothing was changed; run the command as its owner: %w", d.path, uid, gid, errors.Unwrap(err))
	}
	return nil
}

// sync writes the folder's names to disk.
func (d *folder) sync() error {
	dir, err := d.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(syncFolder(dir), dir.Close())
}
