package upstream

import (
	"context"
	"fmt"
	"os"
	"sync"
	"syscall"
)

// stdinWriter writes messages to a server's standard input, whole and in order. A sender never waits for a server that
// does not read. It waits at most for room in the queue, and no longer than its context allows.
type stdinWriter struct {
	pipe  *os.File
	raw   syscall.RawConn
	queue chan []byte

	mu      sync.Mutex
	pending int // messages in the queue, waiting for it, or being written
}

func newStdinWriter(pipe *os.File) (*stdinWriter, error) {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return nil, err
	}
	return &stdinWriter{pipe: pipe, raw: raw, queue: make(chan []byte, stdioBacklog)}, nil
}

// send writes or queues a line. It fails when exited is closed or ctx ends.
func (w *stdinWriter) send(ctx context.Context, line []byte, exited <-chan struct{}) error {
	if w.tryWrite(line) {
		return nil
	}
	select {
	case w.queue <- line:
		return nil
	case <-exited:
		w.finished()
		return ErrBroken
	case <-ctx.Done():
		w.finished()
		return context.Cause(ctx)
	}
}

// tryWrite writes a line at once if no other message is pending and the pipe has room: no
// other goroutine has to be woken for it. Otherwise it counts the line as pending.
func (w *stdinWriter) tryWrite(line []byte) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pending == 0 && len(line) <= pipeBuf && w.writeNow(line) {
		return true
	}
	w.pending++
	return false
}

func (w *stdinWriter) finished() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending--
}

// drain writes the queued messages until exited or the pipe is closed.
func (w *stdinWriter) drain(exited <-chan struct{}) error {
	for {
		select {
		case line := <-w.queue:
			_, err := w.pipe.Write(line)
			w.finished()
			if err != nil {
				return fmt.Errorf("%w: %w", ErrBroken, err)
			}
		case <-exited:
			return nil
		}
	}
}
