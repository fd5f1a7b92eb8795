package upstream

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"
)

// turnReader lets one waiting caller at a time read the server's single output stream.
// The caller that reads also delivers messages meant for others. A caller that reads its
// own answer needs no other goroutine to wake it, which makes calls in sequence cheaper.
// While no caller waits, the goroutine in run reads.
type turnReader struct {
	// read waits for one message and delivers it. It reports whether the message answered
	// a call. An error is final, except os.ErrDeadlineExceeded.
	read func() (answered bool, err error)
	// setDeadline makes read fail from the given time on; the zero time removes the deadline.
	setDeadline func(time.Time) error

	turn   chan struct{} // holds one token: whoever takes it may read, and puts it back
	used   atomic.Bool   // a caller has read since run last checked this
	closed chan struct{} // closed when the stream has ended
	err    error         // why the stream ended; valid once closed is closed
}

// After an answer, run leaves the reading to callers for minRest. It doubles the pause up to
// maxRest as long as callers read.
const (
	minRest = 1 * time.Millisecond
	maxRest = 16 * time.Millisecond
)

func newTurnReader(read func() (answered bool, err error), setDeadline func(time.Time) error) *turnReader {
	r := &turnReader{
		read:        read,
		setDeadline: setDeadline,
		turn:        make(chan struct{}, 1),
		closed:      make(chan struct{}),
	}
	r.turn <- struct{}{}
	return r
}

// run reads while no caller waits. It returns the reason when the stream ends.
func (r *turnReader) run() error {
	for {
		<-r.turn
		answered, over := r.readOne()
		r.turn <- struct{}{}
		switch {
		case over:
			return r.err
		case answered:
			r.rest()
		}
	}
}

// rest returns when no caller has read during one pause, or the stream has ended.
func (r *turnReader) rest() {
	for d := minRest; ; d = min(2*d, maxRest) {
		select {
		case <-time.After(d):
		case <-r.closed:
			return
		}
		if !r.used.Swap(false) {
			return
		}
	}
}

// await returns when c has an answer, ctx has ended, or the stream has ended. It reads
// while it has the turn.
func (r *turnReader) await(ctx context.Context, c *call) {
	select {
	case <-c.done:
		return
	case <-ctx.Done():
		return
	case <-r.closed:
		return
	case <-r.turn:
	}
	defer func() { r.turn <- struct{}{} }()
	r.used.Store(true)
	stop := context.AfterFunc(ctx, r.interrupt)
	defer stop()
	for over := false; !over && !c.ended() && ctx.Err() == nil; {
		_, over = r.readOne()
	}
}

// interrupt ends the current read, so that its caller checks whether it still has to wait.
func (r *turnReader) interrupt() { _ = r.setDeadline(time.Unix(1, 0)) }

// readOne reads one message, or returns early when interrupted. It reports whether the
// message answered a call, and whether the stream is over. The caller holds the turn.
func (r *turnReader) readOne() (answered, over bool) {
	select {
	case <-r.closed:
		return false, true
	default:
	}
	answered, err := r.read()
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		// The interrupt may have been meant for a caller that no longer waits. If it was meant
		// for the current caller, await sees that its context has ended.
		if err = r.setDeadline(time.Time{}); err == nil {
			return false, false
		}
		fallthrough
	case err != nil:
		r.err = err
		close(r.closed)
		return false, true
	}
	return answered, false
}
