package upstream

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"
)

// ear is who hears what a server says that says it all in one place: one at a time.
// Whoever waits for an answer hears it, so that nobody has to be woken for it where one
// call follows the other; with it they hear what is others'. Somebody of the ear's own
// does so where nobody waits.
type ear struct {
	// hear waits for one message and passes it on. It reports whether that answered
	// a call, and fails when no more come; an os.ErrDeadlineExceeded is passing.
	hear func() (answered bool, err error)
	// deadline has hear fail from that time on; the zero time means never.
	deadline func(time.Time) error

	turn   chan struct{} // who takes what is in it may hear, and then puts it back
	lent   atomic.Bool   // a caller has had the turn
	closed chan struct{} // nothing comes any more
	err    error         // why; valid then
}

// The ear's own leaves the turn to callers for a while after an answer, and longer
// where they have taken it.
const (
	leastRest = 1 * time.Millisecond
	mostRest  = 16 * time.Millisecond
)

func newEar(hear func() (bool, error), deadline func(time.Time) error) *ear {
	e := &ear{hear: hear, deadline: deadline, turn: make(chan struct{}, 1), closed: make(chan struct{})}
	e.turn <- struct{}{}
	return e
}

// run hears what nobody waits for, until nothing comes any more, and returns why.
func (e *ear) run() error {
	for {
		<-e.turn
		answered, over := e.next()
		e.turn <- struct{}{}
		switch {
		case over:
			return e.err
		case answered:
			e.rest()
		}
	}
}

// rest waits until callers no longer take the turn.
func (e *ear) rest() {
	for d := leastRest; ; d = min(2*d, mostRest) {
		select {
		case <-time.After(d):
		case <-e.closed:
			return
		}
		if !e.lent.Swap(false) {
			return
		}
	}
}

// await returns when c has an answer, ctx has ended, or nothing comes any more.
func (e *ear) await(ctx context.Context, c *call) {
	select {
	case <-c.done:
		return
	case <-ctx.Done():
		return
	case <-e.closed:
		return
	case <-e.turn:
	}
	defer func() { e.turn <- struct{}{} }()
	e.lent.Store(true)
	stop := context.AfterFunc(ctx, e.interrupt)
	defer stop()
	for over := false; !over && !c.ended() && ctx.Err() == nil; {
		_, over = e.next()
	}
}

// interrupt has whoever waits look whether there is still a reason to.
func (e *ear) interrupt() { _ = e.deadline(time.Unix(1, 0)) }

// next hears one message, or is told to look whether there is still a reason to wait.
// It reports whether nothing comes any more. The turn is held.
func (e *ear) next() (answered, over bool) {
	select {
	case <-e.closed:
		return false, true
	default:
	}
	answered, err := e.hear()
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		// It may have been meant for somebody who has gone since. Where it was meant
		// for whoever waits now, they see why when they look next.
		if err = e.deadline(time.Time{}); err == nil {
			return false, false
		}
		fallthrough
	case err != nil:
		e.err = err
		close(e.closed)
		return false, true
	}
	return answered, false
}
