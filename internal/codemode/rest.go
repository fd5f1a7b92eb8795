package codemode

import (
	"sync"
	"time"
)

// rest tells when an execution does nothing but wait for people: every call that is
// served is one about which somebody is asked, and nothing has come from the worker for
// a while. Then all of it stands still, until there is an answer or something comes.
// A script that goes on beside a question does so in its own time and place.
type rest struct {
	size  int                 // calls that are served at once, at most
	begin func() (end func()) // has all stand still until end is called

	mu     sync.Mutex
	open   int         // calls that have no answer yet
	asked  int         // of them, those about which people are asked
	since  time.Time   // when something happened last
	timer  *time.Timer // nil until somebody is asked
	end    func()      // nil but while all stands still
	closed bool
}

// quiet is how long nothing has come from a worker that waits. It is longer than a
// call queue's delay: calls that the script made at the same time were received by then.
const quiet = 50 * time.Millisecond

// called is a call that has come. Open is how many have no answer yet.
func (r *rest) called() (open int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open++
	r.stir()
	return r.open
}

// answered is the end of a call.
func (r *rest) answered() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open--
	r.stir()
}

// heard is anything else that has come from the worker.
func (r *rest) heard() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stir()
}

// ask is a question to a person about a call, until the function that it returns is
// called.
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

// close ends the rest for good.
func (r *rest) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.stir()
}

// stir resumes the script if it is halted, and looks again after a while if all may wait for
// people. The lock is held.
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

// idle reports whether everything that is served waits for people: calls beyond that
// wait for those. The lock is held.
func (r *rest) idle() bool {
	return !r.closed && r.asked > 0 && r.asked >= min(r.open, r.size)
}

// look has all stand still if nothing has happened for a while.
func (r *rest) look() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.end == nil && r.idle() && time.Since(r.since) >= quiet {
		r.end = r.begin()
	}
}
