package codemode

import (
	"os"
	"syscall"
)

// newPipe returns a pipe whose ends wait in the kernel, each with a thread of its own:
// there are few workers, and a call that goes through the runtime's poller comes
// later. An end that waits is freed by the end of the process at the other side, not
// by being closed.
func newPipe() (r, w *os.File, err error) {
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	return os.NewFile(uintptr(ends[0]), "|0"), os.NewFile(uintptr(ends[1]), "|1"), nil
}
