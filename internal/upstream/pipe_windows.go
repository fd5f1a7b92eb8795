package upstream

import (
	"errors"
	"io"
	"net"
	"os"
)

// writeNow writes nothing: a pipe of Windows does not say whether it has room. All lines are left to drain.
func (w *stdinWriter) writeNow([]byte) bool { return false }

// output is a server's output through a pipe in memory.
type output struct {
	net.Conn
	file *os.File
}

// withDeadline gives the server's output what a pipe of Windows lacks: reads that have a deadline.
func withDeadline(out *os.File) output {
	read, write := net.Pipe()
	go func() {
		_, _ = io.Copy(write, out) // the reader finds how it ends
		write.Close()
	}()
	return output{read, out}
}

// Close ends both pipes.
func (o output) Close() error { return errors.Join(o.Conn.Close(), o.file.Close()) }
