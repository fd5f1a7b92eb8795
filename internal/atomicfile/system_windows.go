package atomicfile

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// TryLock locks an open file for this process, and does not wait: it returns [ErrLocked] where another
// open file has the lock. The lock ends when f is closed, or with the process (LockFileEx). It covers the last
// byte that a file can have and none of its content, which others may go on reading: the locks of Windows bind all.
func TryLock(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	last := &windows.Overlapped{Offset: math.MaxUint32, OffsetHigh: math.MaxInt32}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, last)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}

// Owner returns the user and the group that a file belongs to. On Windows they have no numbers, and known is false.
func Owner(fs.FileInfo) (uid, gid int, known bool) { return 0, 0, false }

// NoFollow makes [os.OpenFile] fail where the last element of the path is a symbolic link. On Windows, where a link
// takes a privilege to make, it is zero.
const NoFollow = 0

// readNow reads from a handle.
func readNow(fd uintptr, buf []byte) (int, error) { return syscall.Read(syscall.Handle(fd), buf) }

// syncFolder does nothing: Windows syncs files only, and keeps the names in its own journal.
func syncFolder(*os.File) error { return nil }
