package codemode

import (
	"os"
	"syscall"
)

// newPipe returns a pipe whose ends block in the kernel, each in a thread of its own. There are few workers, and a
// call through the runtime's poller would take longer. Closing a blocked end does not release it; the end of the
// process on the other side does.
func newPipe() (r, w *os.File, err error) {
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	return os.NewFile(uintptr(ends[0]), "|0"), os.NewFile(uintptr(ends[1]), "|1"), nil
}
