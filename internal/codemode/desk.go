package codemode

import (
	"sync"
	"time"

	"mcpproxy/internal/codemode/frame"
)

// desk is where an execution's calls are heard and served: in the order in which they
// come, as many at once as may be. Whoever hears a call serves it, and then hears the
// next: as long as a script makes one call at a time, nobody has to wake anybody.
// While a call is served somebody else listens, once that takes longer than the
// patience there is, and at once in a script that has made two calls at a time.
type desk struct {
	// hear waits for a call. Open is how many have no answer yet, with this one. It
	// is not ok when no more come.
	hear  func() (f frame.Frame, open int, ok bool)
	serve func(frame.Frame)
	size  int // who serve at once, at most

	mu        sync.Mutex
	more      sync.Cond
	waiting   []frame.Frame // while as many are served as may be
	staff     int           // goroutines that work here, at most one more than serve
	serving   int           // of them, who serve
	free      int           // of them, who wait
	listening bool          // one of them listens
	crowded   bool          // there have been two calls at once
	closed    bool
	left      sync.WaitGroup

	patience time.Duration // how long nobody listens while the only call is served
	alone    time.Time     // since when nobody listens
	watch    *time.Timer   // nil until it is needed
	armed    bool          // watch is set
	relieved bool          // it had somebody listen
}

// Patience grows where a script has made no second call whenever somebody listened.
const (
	leastPatience = time.Millisecond
	mostPatience  = 16 * time.Millisecond
)

// run hears and serves, and returns when no more calls come and nobody serves.
func (d *desk) run() {
	d.more.L = &d.mu
	d.staff, d.patience = 1, leastPatience
	d.work()
	d.left.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.watch != nil {
		d.watch.Stop()
	}
}

// work hears and serves until the desk is closed.
func (d *desk) work() {
	for {
		f, ok := d.next()
		if !ok {
			return
		}
		d.serve(f)
		d.mu.Lock()
		d.serving--
		d.mu.Unlock()
	}
}

// next returns the next call to be served by who asks.
func (d *desk) next() (f frame.Frame, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for !d.closed {
		switch {
		case len(d.waiting) > 0 && d.serving < d.size:
			return d.take(), true
		case d.listening:
			d.free++
			d.more.Wait()
			d.free--
		default:
			d.listen()
		}
	}
	return frame.Frame{}, false
}

// listen hears one call. The lock is held, but not meanwhile.
func (d *desk) listen() {
	d.listening = true
	d.mu.Unlock()
	f, open, ok := d.hear()
	d.mu.Lock()
	d.listening = false
	if !ok {
		d.closed = true
		d.more.Broadcast()
		return
	}
	d.waiting = append(d.waiting, f)
	d.crowded = d.crowded || open > 1
}

// take takes the call that has waited longest, and sees to it that somebody listens.
func (d *desk) take() frame.Frame {
	f := d.waiting[0]
	d.waiting[0].Body = nil
	d.waiting = d.waiting[1:]
	d.serving++
	switch {
	case d.listening:
	case d.crowded:
		d.relieve()
	default:
		if d.relieved {
			d.relieved, d.patience = false, min(2*d.patience, mostPatience)
		}
		d.alone = time.Now()
		d.look(d.patience)
	}
	return f
}

// relieve has somebody listen. Where nobody is free and no more may come, somebody has
// just served, and will.
func (d *desk) relieve() {
	switch {
	case d.free > 0:
		d.more.Signal()
	case d.staff <= d.size:
		d.staff++
		d.left.Go(d.work)
	}
}

// look has somebody listen after a while, if nobody does by then. One timer lasts for
// many calls that are served in less.
func (d *desk) look(after time.Duration) {
	switch {
	case d.armed:
	case d.watch == nil:
		d.watch = time.AfterFunc(after, d.looked)
	default:
		d.watch.Reset(after)
	}
	d.armed = true
}

func (d *desk) looked() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.armed = false
	switch since := time.Since(d.alone); {
	case d.closed || d.listening:
	case since < d.patience: // it is another call that is served now
		d.look(d.patience - since)
	default:
		d.relieved = true
		d.relieve()
	}
}
