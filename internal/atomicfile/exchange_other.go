//go:build !linux && !darwin

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

// exchange fails, because this system cannot exchange names. Unless expected is nil, it fails with
// [ErrChanged] if the name no longer refers to that file.
func (d *folder) exchange(_ string, expected fs.FileInfo) error {
	if expected != nil && !d.is(d.name, expected) {
		return ErrChanged
	}
	return errors.ErrUnsupported
}

func cannotExchange(err error) bool { return errors.Is(err, errors.ErrUnsupported) }

// lease does nothing: this system has no leases.
func lease(*os.File) (granted, busy bool) { return false, false }

func leaseWanted(*os.File) bool { return false }

func hide(*os.File) {}
