package upstream

import (
	"sync"
	"time"
)

// A server that talks without being asked gets a share of one processor, and no
// more: whoever reads from it pauses, and the server has to wait. What it was
// asked for is not counted.
const (
	floodBurst = 2 * time.Millisecond   // of work that is done at once
	floodPause = 4                      // times the work, between bursts
	floodCalm  = 100 * time.Millisecond // of silence, after which all is forgotten
)

// flood measures the work that a server makes unasked.
type flood struct {
	mu   sync.Mutex
	work time.Duration
	last time.Time
}

// add counts a message whose handling began at begin, and returns how long to
// pause.
func (f *flood) add(begin time.Time) time.Duration {
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	if begin.Sub(f.last) > floodCalm {
		f.work = 0
	}
	f.work += now.Sub(begin)
	f.last = now
	if f.work < floodBurst {
		return 0
	}
	pause := f.work * floodPause
	f.work = 0
	return min(pause, floodCalm)
}

// rest pauses the reader of a link that was told much unasked; not while a caller
// waits for an answer that may stand behind all that.
func (l *Link) rest(begin time.Time) {
	pause := l.unasked.add(begin)
	l.mu.Lock()
	awaited := len(l.pending) > 0
	l.mu.Unlock()
	if pause == 0 || awaited {
		return
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.done:
	}
}
