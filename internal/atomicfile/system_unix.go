//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// TryLock locks an open file for this process, and does not wait: it returns [ErrLocked] where another
// open file has the lock. The lock ends when f is closed, or with the process (flock(2)).
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

// Owner returns the user and the group that a file belongs to. On Windows they have no numbers, and known is false.
func Owner(info fs.FileInfo) (uid, gid int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(stat.Uid), int(stat.Gid), true
}

// NoFollow makes [os.OpenFile] fail where the last element of the path is a symbolic link. On Windows, where a link
// takes a privilege to make, it is zero.
const NoFollow = syscall.O_NOFOLLOW

// readNow reads from a descriptor. What has nothing to read yet fails with EAGAIN.
func readNow(fd uintptr, buf []byte) (int, error) { return syscall.Read(int(fd), buf) }

// syncFolder has the names in an open folder reach the disk.
func syncFolder(dir *os.File) error { return dir.Sync() }
