//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// TryLock locks an open file for this process without waiting: it returns [ErrLocked] if another open
// file has the lock. The lock ends when f is closed, or with the process (flock(2)).
func TryLock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrLocked
		default:
			return err
		}
	}
}

// Owner returns the ids of the user and group that a file belongs to. On Windows, where they have no numeric ids,
// known is false.
func Owner(info fs.FileInfo) (uid, gid int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(stat.Uid), int(stat.Gid), true
}

// NoFollow makes [os.OpenFile] fail if the last element of the path is a symbolic link. It is zero on Windows,
// where making a link requires a privilege.
const NoFollow = syscall.O_NOFOLLOW

// readNow reads from a descriptor without waiting. It fails with EAGAIN if there is nothing to read yet.
func readNow(fd uintptr, buf []byte) (int, error) { return syscall.Read(int(fd), buf) }

// syncFolder writes the names in an open folder to disk.
func syncFolder(dir *os.File) error { return dir.Sync() }
