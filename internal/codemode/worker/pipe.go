package worker

import (
	"errors"
	"io"
	"syscall"
)

// pipe is one end of a pipe, used through plain system calls, because the sandbox forbids the calls
// of the runtime's poller.
type pipe struct {
	fd int

	// steady says that there is no other work while a call waits. The runtime is then not told
	// about the blocking call: it would check for work every 20 µs during the script, and take
	// processor time from the host.
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
