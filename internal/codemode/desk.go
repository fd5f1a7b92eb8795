package codemode

import (
	"sync"

	"mcpproxy/internal/codemode/frame"
)

// desk is where an execution's calls are served: in the order in which they come, as
// many at once as may be. Those who serve stay for the next call: a goroutine for
// each would grow its stack anew every time.
type desk struct {
	serve func(frame.Frame)
	size  int // who serve at once, at most

	mu      sync.Mutex
	more    sync.Cond
	waiting []frame.Frame
	staff   int // who serve, or wait for a call
	free    int // of them, who wait
	closed  bool
	left    sync.WaitGroup
}

// open makes the desk serve calls.
func (d *desk) open(size int, serve func(frame.Frame)) {
	d.serve, d.size, d.more.L = serve, size, &d.mu
}

// put adds a call, and returns at once.
func (d *desk) put(f frame.Frame) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting = append(d.waiting, f)
	switch {
	case d.free >= len(d.waiting):
		d.more.Signal()
	case d.staff < d.size:
		d.staff++
		d.left.Go(d.work)
	}
}

// work serves until the desk is closed.
func (d *desk) work() {
	for {
		f, ok := d.next()
		if !ok {
			return
		}
		d.serve(f)
	}
}

// next waits for a call.
func (d *desk) next() (f frame.Frame, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.waiting) == 0 && !d.closed {
		d.free++
		d.more.Wait()
		d.free--
	}
	if d.closed {
		return frame.Frame{}, false
	}
	f = d.waiting[0]
	d.waiting[0].Body = nil
	if d.waiting = d.waiting[1:]; len(d.waiting) == 0 {
		d.waiting = nil
	}
	return f, true
}

// close serves no more, and waits for what is being served.
func (d *desk) close() {
	d.mu.Lock()
	d.closed = true
	d.more.Broadcast()
	d.mu.Unlock()
	d.left.Wait()
}
