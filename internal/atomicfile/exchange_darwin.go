package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// exchange atomically swaps the names of the file and another one in the folder. Unless expected is
// nil, it fails with [ErrChanged] if the name no longer refers to that file.
func (d *folder) exchange(other string, expected fs.FileInfo) error {
	if expected != nil && !d.is(d.name, expected) {
		return ErrChanged
	}
	return unix.RenamexNp(filepath.Join(filepath.Dir(d.path), other), d.path, unix.RENAME_SWAP)
}

// cannotExchange reports whether the file system cannot exchange names.
func cannotExchange(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP)
}

// lease does nothing: this system has no leases.
func lease(*os.File) (granted, busy bool) { return false, false }

func leaseWanted(*os.File) bool { return false }

func hide(*os.File) {}
