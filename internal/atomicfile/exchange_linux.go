package atomicfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// exchange atomically swaps the names of the file and another one in the folder. Unless expected is
// nil, it fails with [ErrChanged] if the name no longer refers to that file.
func (d *folder) exchange(other string, expected fs.FileInfo) error {
	dir, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	fd := int(dir.Fd())
	if expected != nil && !d.is(d.name, expected) { // last, so that little time passes
		return ErrChanged
	}
	return unix.Renameat2(fd, other, fd, d.name, unix.RENAME_EXCHANGE)
}

// cannotExchange reports whether the kernel or the file system cannot exchange names.
func cannotExchange(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP)
}

// lease makes programs that open the file for writing wait until f is closed. It reports whether
// the file is busy because a program has it open for writing. Not every file system supports
// leases, and only the owner of a file gets one.
func lease(f *os.File) (granted, busy bool) {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	return err == nil, errors.Is(err, unix.EAGAIN)
}

// leaseWanted reports whether a program waits for a lease to end.
func leaseWanted(f *os.File) bool {
	kind, err := unix.FcntlInt(f.Fd(), unix.F_GETLEASE, 0)
	return err == nil && kind != unix.F_RDLCK
}

// hide makes programs that open a file wait until f is closed. No other program may have the file open.
func hide(f *os.File) { _, _ = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK) }
