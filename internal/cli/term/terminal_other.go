//go:build !linux

package term

import "os"

// dropInput does nothing: only Linux has the system call for discarding input.
func dropInput(*os.File) {}
