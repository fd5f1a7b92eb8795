package worker

import (
	"errors"
	"io"
	"syscall"
)

// pipe is one end of a pipe, read and written by plain system calls: the
// runtime's poller needs more of the kernel than a worker has.
type pipe struct {
	fd int

	// steady says that nothing else is to be done while a call waits. The runtime is
	// not told of it then: it would look every 20 µs, all through a script of many
	// calls, whether there is, and takes the processor from the host to do so.
	steady bool
}

func (p *pipe) Read(b []byte) (int, error) {
	for {
		n, err := read(p.fd, b, p.steady)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return 0, err
		case n == 0 && len(b) > 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

func (p *pipe) Write(b []byte) (n int, err error) {
	for n < len(b) {
		m, err := write(p.fd, b[n:], p.steady)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return n, err
		}
		n += max(0, m)
	}
	return n, nil
}
