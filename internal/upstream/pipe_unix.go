//go:build unix

package upstream

import (
	"os"
	"syscall"
)

// writeNow writes a short line if the pipe has room for it. Such a line is written whole or
// not at all (POSIX, write, PIPE_BUF). An error is left to drain, which writes the line next.
func (w *stdinWriter) writeNow(line []byte) bool {
	n := 0
	err := w.raw.Write(func(fd uintptr) bool {
		n, _ = syscall.Write(int(fd), line)
		return true
	})
	return err == nil && n == len(line)
}

// withDeadline is the server's output as it is: a read of it can be given a deadline.
func withDeadline(out *os.File) *os.File { return out }
