package atomicfile

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// TryLock locks an open file for this process without waiting: it returns [ErrLocked] if another open file has the
// lock. The lock ends when f is closed, or with the process (LockFileEx). It covers only the last byte that a file
// can have, because locks are mandatory on Windows and other programs must still be able to read the content.
func TryLock(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	last := &windows.Overlapped{Offset: math.MaxUint32, OffsetHigh: math.MaxInt32}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, last)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}

// Owner returns the ids of the user and group that a file belongs to. On Windows, where they have no numeric ids,
// known is false.
func Owner(fs.FileInfo) (uid, gid int, known bool) { return 0, 0, false }

// NoFollow makes [os.OpenFile] fail if the last element of the path is a symbolic link. It is zero on Windows,
// where making a link requires a privilege.
const NoFollow = 0

// readNow reads from a handle.
func readNow(fd uintptr, buf []byte) (int, error) { return syscall.Read(syscall.Handle(fd), buf) }

// syncFolder does nothing: Windows only syncs files, and journals changes of names itself.
func syncFolder(*os.File) error { return nil }
