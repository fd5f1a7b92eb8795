package program

import (
	"io/fs"
	"syscall"
)

// stampOf returns the stamp of a file; ok is false if the system has none.
func stampOf(info fs.FileInfo) (s stamp, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return s, false
	}
	return stamp{
		device:   uint64(st.Dev),
		inode:    st.Ino,
		size:     st.Size,
		modified: info.ModTime().UnixNano(),
		kept:     st.Ctimespec.Nano(),
	}, true
}
