package upstream

import (
	"errors"
	"io"
	"net"
	"os"
)

// writeNow writes nothing, because a Windows pipe does not report whether it has room. drain writes
// all lines.
func (w *stdinWriter) writeNow([]byte) bool { return false }

// output is a server's output through an in-memory pipe.
type output struct {
	net.Conn
	file *os.File
}

// withDeadline adds read deadlines, which Windows pipes lack, to the server's output.
func withDeadline(out *os.File) output {
	read, write := net.Pipe()
	go func() {
		_, _ = io.Copy(write, out) // the reader gets the error
		write.Close()
	}()
	return output{read, out}
}

// Close ends both pipes.
func (o output) Close() error { return errors.Join(o.Conn.Close(), o.file.Close()) }
