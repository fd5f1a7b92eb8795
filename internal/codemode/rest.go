package codemode

import (
	"sync"
	"time"
)

// rest detects that an execution only waits for people: every call being served is waiting for a
// person's answer, and the worker has sent nothing for a while. The execution is then suspended
// until an answer or a message arrives. A script that continues during a question uses its own time
// and slot.
type rest struct {
	size  int                 // maximum number of calls served at once
	begin func() (end func()) // suspends the execution until end is called

	mu     sync.Mutex
	open   int         // calls without an answer
	asked  int         // open calls that wait for a person
	since  time.Time   // time of the last event
	timer  *time.Timer // nil until a person is asked
	end    func()      // ends the suspension; nil while the execution runs
	closed bool
}

// quiet is how long a waiting worker must have been silent. It is longer than a call queue's delay,
// so that calls made at the same time have been received.
const quiet = 50 * time.Millisecond

// called records a call. Open is the number of calls without an answer.
func (r *rest) called() (open int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open++
	r.stir()
	return r.open
}

// answered records the end of a call.
func (r *rest) answered() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open--
	r.stir()
}

// heard records any other message of the worker.
func (r *rest) heard() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stir()
}

// ask records a question to a person about a call, until the returned function is called.
func (r *rest) ask() (answer func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	r.stir()
	return sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.asked--
		r.stir()
	})
}

// close ends the detection permanently.
func (r *rest) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.stir()
}

// stir resumes a suspended script, and checks again after a while if all calls may be waiting for
// people. The caller holds the lock.
func (r *rest) stir() {
	if r.end != nil {
		r.end()
		r.end = nil
	}
	switch {
	case !r.idle():
	case r.timer == nil:
		r.since, r.timer = time.Now(), time.AfterFunc(quiet, r.look)
	default:
		r.since = time.Now()
		r.timer.Reset(quiet)
	}
}

// idle reports whether every call being served waits for a person. Queued calls wait for these. The
// caller holds the lock.
func (r *rest) idle() bool {
	return !r.closed && r.asked > 0 && r.asked >= min(r.open, r.size)
}

// look suspends the execution if nothing has happened for a while.
func (r *rest) look() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.end == nil && r.idle() && time.Since(r.since) >= quiet {
		r.end = r.begin()
	}
}
