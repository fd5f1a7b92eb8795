package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// ErrChanged is returned if another program has changed the file since the [Edit] was made. The
// file has the other program's content: read it and make a new Edit.
var ErrChanged = errors.New("another program changed the file meanwhile")

// Edit is a change of a file that other programs also change.
type Edit struct {
	Path   string
	Within string      // if not empty, a folder; symbolic links in Path must not lead out of it
	Before []byte      // the content before the change; nil if there was no file
	After  []byte      // the new content; nil to remove the file
	Mode   fs.FileMode // mode of a new file; a replaced file keeps its mode
}

// Apply makes the change if the file still has the content Before. Otherwise it fails with [ErrChanged] and the file
// stays as the other program wrote it.
//
// The file is read again right before it is replaced. On Linux, a lease (fcntl(2)) meanwhile keeps other programs from
// opening it for writing. If the system can atomically exchange two names, Apply also checks the file that it has
// replaced: if another program has put a different file there, Apply puts that file back. Programs may see the new
// content for some microseconds then. On other systems, a change that another program makes in the last microseconds
// is lost, as with every program that replaces a file.
func (e Edit) Apply() error {
	path, err := Inside(e.Path, e.Within)
	if err != nil {
		return err
	}
	within := e.Within
	if within != "" {
		if within, err = filepath.EvalSymlinks(within); err != nil {
			return err
		}
	}
	dir, err := openFolder(path, within)
	if err != nil {
		return err
	}
	defer dir.Close()
	old, err := dir.stat()
	if err != nil {
		return err
	}
	if (old == nil) != (e.Before == nil) {
		return ErrChanged
	}
	switch {
	case e.After == nil && old == nil:
		return nil
	case e.After == nil:
		err = e.remove(dir)
	case old == nil:
		err = e.create(dir)
	default:
		err = e.replace(dir, old)
	}
	return errors.Join(err, dir.sync())
}

// Inside returns the path without symbolic links. The file and the folders above it need not exist
// yet. Unless within is empty, Inside returns an error if a link leads out of that folder.
func Inside(path, within string) (string, error) {
	real, err := resolve(path)
	if err != nil || within == "" {
		return real, err
	}
	top, err := filepath.EvalSymlinks(within)
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(top, real); err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("a symbolic link in %s leads to %s, outside the folder %s: "+
			"nothing is written there; replace the link by a file or folder", path, real, within)
	}
	return real, nil
}

// resolve is [filepath.EvalSymlinks] for paths whose last elements need not exist.
func resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(path) == path {
		return real, err
	}
	if _, err := os.Lstat(path); err == nil {
		return "", fmt.Errorf("%s is a link to a missing file: nothing was changed", path)
	}
	above, err := resolve(filepath.Dir(path))
	return filepath.Join(above, filepath.Base(path)), err
}

// replace replaces an existing file with one that contains After.
func (e Edit) replace(dir *folder, old fs.FileInfo) error {
	ours, err := dir.draft(old, old.Mode().Perm(), bytesWriter(e.After))
	if err != nil {
		return err
	}
	defer ours.drop() // the old file, after an exchange
	there, err := dir.take(e.Before)
	if err != nil {
		return err
	}
	defer there.Close()
	hide(ours.file)
	switch err := dir.exchange(ours.name, there.info); {
	case cannotExchange(err):
		return errors.Join(ours.file.Close(), dir.root.Rename(ours.name, dir.name))
	case err != nil:
		return err
	}
	if !dir.is(ours.name, there.info) || there.wanted() {
		return errors.Join(ErrChanged, e.putBack(dir, ours))
	}
	err = errors.Join(ours.file.Close(), there.Close()) // ends the leases
	if same, held := dir.heldStill(ours.name, e.Before); held == nil && !same {
		err = errors.Join(err, ErrChanged, e.putBack(dir, ours))
	}
	return err
}

// taken is a file that an [Edit] is about to replace, possibly with a lease. Closing the file ends the lease.
type taken struct {
	*os.File
	info   fs.FileInfo
	leased bool // there is a lease: the kernel lets no program open the file for writing
}

// take opens the file if it has the expected content. If the kernel supports leases, a program that
// opens the file for writing waits from then on.
func (d *folder) take(want []byte) (*taken, error) {
	f, err := d.open(d.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrChanged
	}
	if err != nil {
		return nil, err
	}
	t := &taken{File: f}
	if t.info, err = f.Stat(); err == nil && !t.info.Mode().IsRegular() {
		err = ErrChanged
	}
	for end := time.Now().Add(writersWait); err == nil && !t.leased; {
		granted, busy := lease(f)
		if t.leased = granted; !busy {
			break
		}
		if time.Now().After(end) {
			err = ErrChanged // the program that has it open may change it soon
		}
		time.Sleep(writersPause)
	}
	var have []byte
	if err == nil {
		have, err = io.ReadAll(io.LimitReader(f, int64(len(want))+1))
	}
	if err == nil && !bytes.Equal(have, want) {
		err = ErrChanged
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return t, nil
}

// wanted reports whether a program waits to open the file for writing. It will write to this file,
// even if the file has another name by then.
func (t *taken) wanted() bool { return t.leased && leaseWanted(t.File) }

// is reports whether a name in the folder refers to the given file.
func (d *folder) is(name string, file fs.FileInfo) bool {
	info, err := d.root.Lstat(name)
	return err == nil && os.SameFile(info, file)
}

// mostExchanges is the maximum number of exchanges in putBack while programs keep writing.
const mostExchanges = 100

// putBack gives the name back to the file that we replaced. If a program has replaced our file
// between the two exchanges, its file is the newest and gets the name back. If a program has
// written into our file, our file gets the name back.
func (e Edit) putBack(dir *folder, ours *draft) error {
	defer ours.file.Close()
	placed := ours.info // the file that has the name
	for range mostExchanges {
		waiting, err := dir.root.Lstat(ours.name)
		if err != nil {
			return err
		}
		if err := dir.exchange(ours.name, placed); err != nil {
			if errors.Is(err, ErrChanged) {
				return nil // the file that has the name is newer than both
			}
			return err
		}
		came, err := dir.root.Lstat(ours.name)
		if err != nil {
			return err
		}
		expected := os.SameFile(came, placed)
		placed = waiting
		if !expected {
			continue
		}
		if !os.SameFile(came, ours.info) {
			return nil
		}
		if untouched, err := dir.reveal(ours, e.After); err != nil || untouched {
			return err
		}
	}
	return fmt.Errorf("%s keeps changing while it is edited", dir.path)
}

// reveal lets programs continue that opened our file while it had the name and that [hide] made
// wait. Before that it copies the content of the other file into ours, so that they read the right
// content. It returns false if one of them has written to our file.
func (d *folder) reveal(ours *draft, after []byte) (untouched bool, err error) {
	if now, err := d.open(d.name); err == nil {
		after, err = io.ReadAll(now)
		if err = errors.Join(err, now.Close(), ours.file.Truncate(0)); err == nil {
			_, err = ours.file.WriteAt(after, 0)
		}
		if err != nil {
			return false, err
		}
	}
	if err := ours.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return false, err
	}
	return d.heldStill(ours.name, after)
}

// create makes a new file. It fails if the file exists.
func (e Edit) create(dir *folder) error {
	ours, err := dir.draft(dir.owner(), e.Mode, bytesWriter(e.After))
	if err != nil {
		return err
	}
	defer ours.drop()
	err = dir.root.Link(ours.name, dir.name) // unlike a rename, a link never replaces a file
	if err == nil || errors.Is(err, fs.ErrExist) {
		return changed(err == nil)
	}
	if old, err := dir.stat(); err != nil || old != nil { // the file system does not support hard links
		return errors.Join(err, changed(old == nil))
	}
	return dir.root.Rename(ours.name, dir.name)
}

// owner returns the folder's description if a new file should get the folder's owner, else nil. A
// file that root makes in a user's folder, through sudo, is for that user's programs.
func (d *folder) owner() fs.FileInfo {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := d.root.Stat(".")
	if err != nil {
		return nil
	}
	return info
}

// remove removes the file.
func (e Edit) remove(dir *folder) error {
	if same, err := dir.holds(dir.name, e.Before); err != nil || !same {
		return errors.Join(err, changed(same))
	}
	aside := unfinished(dir.name) + "removed"
	if err := dir.root.Rename(dir.name, aside); err != nil {
		return err
	}
	same, err := dir.heldStill(aside, e.Before)
	if err == nil && same {
		return dir.root.Remove(aside)
	}
	if back := dir.root.Link(aside, dir.name); back != nil && !errors.Is(back, fs.ErrExist) {
		return errors.Join(err, dir.root.Rename(aside, dir.name), ErrChanged)
	}
	return errors.Join(err, dir.root.Remove(aside), ErrChanged)
}

func changed(same bool) error {
	if same {
		return nil
	}
	return ErrChanged
}

// holds reports whether name is a regular file in the folder with the given content.
func (d *folder) holds(name string, want []byte) (bool, error) {
	info, err := d.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (!info.Mode().IsRegular() || info.Size() != int64(len(want))) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	f, err := d.open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	have, err := io.ReadAll(io.LimitReader(f, info.Size()+1))
	return bytes.Equal(have, want), err
}

// How long to wait for programs that write a file in place.
const (
	writersWait  = time.Second // the total time
	writersPause = 2 * time.Millisecond
)

// open opens a file in the folder for reading. If another program has a lease of it, as [Edit]
// does, open waits until the lease ends.
func (d *folder) open(name string) (*os.File, error) {
	for end := time.Now().Add(writersWait); ; time.Sleep(writersPause) {
		f, err := d.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if !errors.Is(err, syscall.EAGAIN) || time.Now().After(end) {
			return f, err
		}
	}
}

// heldStill reports whether a file that was replaced has the given content and no longer changes.
// It waits for programs that opened it for writing before.
func (d *folder) heldStill(name string, want []byte) (bool, error) {
	f, err := d.open(name)
	if err != nil {
		return false, err
	}
	defer f.Close() // ends the lease too
	for end := time.Now().Add(writersWait); time.Now().Before(end); time.Sleep(writersPause) {
		if _, busy := lease(f); !busy {
			break
		}
	}
	return d.holds(name, want)
}
