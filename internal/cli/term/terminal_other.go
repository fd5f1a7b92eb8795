//go:build !linux

package term

import "os"

// dropInput keeps what was typed: only Linux has the system call that is used to discard it.
func dropInput(*os.File) {}
