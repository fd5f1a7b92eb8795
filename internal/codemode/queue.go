package codemode

import (
	"sync"
	"time"

	"mcpproxy/internal/codemode/frame"
)

// callQueue receives an execution's calls and serves them in the order of their arrival, up
// to size at once. The goroutine that receives a call also serves it and then receives the
// next one: while a script makes one call at a time, no other goroutine has to be woken.
// While a call is served, another goroutine starts to receive after a delay, or at once if
// the script has made two calls at a time before.
type callQueue struct {
	// receive waits for a call. Open is the number of calls without an answer, including this
	// one. If ok is false, there is no call and no other will come.
	receive func() (f frame.Frame, open int, ok bool)
	serve   func(frame.Frame)
	size    int // maximum number of calls served at once

	mu        sync.Mutex
	more      sync.Cond
	waiting   []frame.Frame // received calls that are not served yet
	workers   int           // running goroutines, at most size+1
	serving   int           // number of them that serve a call
	idle      int           // number of them that wait for work
	receiving bool          // one of them is in receive
	parallel  bool          // the script has had two open calls at once
	closed    bool
	finished  sync.WaitGroup

	delay      time.Duration // time without a receiver while the only call is served
	unattended time.Time     // start of the time without a receiver
	timer      *time.Timer   // fires when delay is over; nil until it is needed
	armed      bool          // timer is running
	woken      bool          // the timer has started a receiver
}

// Limits of the delay. If the delay has started a receiver and the script has made no second call
// meanwhile, the delay doubles.
const (
	minDelay = time.Millisecond
	maxDelay = 16 * time.Millisecond
)

// run receives and serves calls. It returns when no more calls come and all are served.
func (q *callQueue) run() {
	q.more.L = &q.mu
	q.workers, q.delay = 1, minDelay
	q.work()
	q.finished.Wait()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.timer != nil {
		q.timer.Stop()
	}
}

// work receives and serves calls until the queue is closed.
func (q *callQueue) work() {
	for {
		f, ok := q.next()
		if !ok {
			return
		}
		q.serve(f)
		q.mu.Lock()
		q.serving--
		q.mu.Unlock()
	}
}

// next returns the next call, which the caller serves.
func (q *callQueue) next() (f frame.Frame, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.closed {
		switch {
		case len(q.waiting) > 0 && q.serving < q.size:
			return q.take(), true
		case q.receiving:
			q.idle++
			q.more.Wait()
			q.idle--
		default:
			q.receiveOne()
		}
	}
	return frame.Frame{}, false
}

// receiveOne receives one call. The caller holds the lock, which is released meanwhile.
func (q *callQueue) receiveOne() {
	q.receiving = true
	q.mu.Unlock()
	f, open, ok := q.receive()
	q.mu.Lock()
	q.receiving = false
	if !ok {
		q.closed = true
		q.more.Broadcast()
		return
	}
	q.waiting = append(q.waiting, f)
	q.parallel = q.parallel || open > 1
}

// take removes the call that has waited longest, and arranges for the next receiver.
func (q *callQueue) take() frame.Frame {
	f := q.waiting[0]
	q.waiting[0].Body = nil
	q.waiting = q.waiting[1:]
	q.serving++
	switch {
	case q.receiving:
	case q.parallel:
		q.wakeReceiver()
	default:
		if q.woken {
			q.woken, q.delay = false, min(2*q.delay, maxDelay)
		}
		q.unattended = time.Now()
		q.checkAfter(q.delay)
	}
	return f
}

// wakeReceiver wakes an idle goroutine or starts one to receive. If the maximum is reached
// and none is idle, a goroutine that has just finished a call receives next.
func (q *callQueue) wakeReceiver() {
	switch {
	case q.idle > 0:
		q.more.Signal()
	case q.workers <= q.size:
		q.workers++
		q.finished.Go(q.work)
	}
}

// checkAfter starts a receiver after the given time unless there is one by then. One timer
// serves many short calls.
func (q *callQueue) checkAfter(after time.Duration) {
	switch {
	case q.armed:
	case q.timer == nil:
		q.timer = time.AfterFunc(after, q.check)
	default:
		q.timer.Reset(after)
	}
	q.armed = true
}

// check starts a receiver if there was none for the whole delay.
func (q *callQueue) check() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.armed = false
	switch since := time.Since(q.unattended); {
	case q.closed || q.receiving:
	case since < q.delay: // a later call is served now
		q.checkAfter(q.delay - since)
	default:
		q.woken = true
		q.wakeReceiver()
	}
}
