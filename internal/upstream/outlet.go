package upstream

import (
	"context"
	"fmt"
	"os"
	"sync"
	"syscall"
)

// outlet is the way to a server's standard input: a pipe into which messages go whole
// and in order. Whoever sends one never waits for a server that does not read, but
// for room in the queue, and only as long as its context lasts.
type outlet struct {
	pipe  *os.File
	raw   syscall.RawConn
	queue chan []byte

	mu     sync.Mutex
	behind int // messages that are in the queue, wait for it, or are being written
}

func newOutlet(pipe *os.File) (*outlet, error) {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return nil, err
	}
	return &outlet{pipe: pipe, raw: raw, queue: make(chan []byte, stdioBacklog)}, nil
}

// send sends a line, until exited is closed.
func (o *outlet) send(ctx context.Context, line []byte, exited <-chan struct{}) error {
	if o.pass(line) {
		return nil
	}
	select {
	case o.queue <- line:
		return nil
	case <-exited:
		o.passed()
		return ErrBroken
	case <-ctx.Done():
		o.passed()
		return context.Cause(ctx)
	}
}

// pass writes a line at once if it need not wait for anything: nobody has to be
// woken for it. Else it is counted as being behind.
func (o *outlet) pass(line []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.behind == 0 && len(line) <= pipeBuf && o.writes(line) {
		return true
	}
	o.behind++
	return false
}

// writes writes a short line, if there is room for it in the pipe. Such a line is
// written whole or not at all (POSIX, write, PIPE_BUF). Why it is not is found out by
// whoever writes it then.
func (o *outlet) writes(line []byte) bool {
	n := 0
	err := o.raw.Write(func(fd uintptr) bool {
		n, _ = syscall.Write(int(fd), line)
		return true
	})
	return err == nil && n == len(line)
}

func (o *outlet) passed() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.behind--
}

// drain writes what is in the queue, until exited is closed or the pipe is.
func (o *outlet) drain(exited <-chan struct{}) error {
	for {
		select {
		case line := <-o.queue:
			_, err := o.pipe.Write(line)
			o.passed()
			if err != nil {
				return fmt.Errorf("%w: %w", ErrBroken, err)
			}
		case <-exited:
			return nil
		}
	}
}
