//go:build unix

package upstream

import (
	"os"
	"syscall"
)

// writeNow writes a short line if the pipe has room for it. Such a line is written whole or not at
// all (POSIX, write, PIPE_BUF). On an error it writes nothing, and drain writes the line next.
func (w *stdinWriter) writeNow(line []byte) bool {
	n := 0
	err := w.raw.Write(func(fd uintptr) bool {
		n, _ = syscall.Write(int(fd), line)
		return true
	})
	return err == nil && n == len(line)
}

// withDeadline returns the server's output unchanged: reads from it support deadlines.
func withDeadline(out *os.File) *os.File { return out }
