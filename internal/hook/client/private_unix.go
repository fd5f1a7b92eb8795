//go:build unix

package client

import (
	"os"
	"syscall"
)

// private reports whether a file or folder belongs to the user and nobody else can read or write
// it.
func private(path string, folder bool) bool {
	info, err := os.Lstat(path)
	if err != nil || info.IsDir() != folder || !folder && !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
