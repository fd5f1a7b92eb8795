package upstream

import (
	"io"
	"sync"
	"time"
)

// A server that talks without being asked gets a share of one processor, and no
// more: whoever reads from it pauses, and the server has to wait. What it was
// asked for is not counted.
const (
	floodBurst = 500 * time.Microsecond // of work that is done at once
	floodPause = 4                      // times the work, between bursts; as long as the work while somebody waits
	floodCalm  = 100 * time.Millisecond // of silence, after which all is forgotten
)

// flood measures the work that a server makes unasked.
type flood struct {
	mu   sync.Mutex
	work time.Duration
	last time.Time
}

// add counts a message whose handling began at begin, and returns how long the work
// was after which to pause; 0 for no pause.
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
	work := f.work
	f.work = 0
	return work
}

// rest pauses the reader of a link that was told much unasked; not for long while a
// caller waits for an answer that may stand behind all that.
func (l *Link) rest(begin time.Time) {
	pause := l.unasked.add(begin)
	if pause == 0 {
		return
	}
	l.mu.Lock()
	awaited := len(l.pending) > 0
	l.mu.Unlock()
	if !awaited {
		pause *= floodPause
	}
	l.pause(min(pause, floodCalm))
}

// pause waits, unless the link ends.
func (l *Link) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.done:
	}
}

const (
	streamBurst = 16 << 20 // bytes of a stream that are read as they come, or one answer of the largest size allowed
	streamRate  = 16 << 20 // bytes a second that are read of one that goes on
)

// paced reads from a stream no faster than at a rate, so that a server that writes
// without end keeps neither processor from the others: not its own, which has to wait
// until there is room in the pipe, and not the reader's.
type paced struct {
	r     io.Reader
	link  *Link
	burst int // bytes that may be read at once after a rest
	left  int // bytes of it that are left
	last  time.Time
}

// pace returns a reader of the link that reads r at a bounded rate.
func (l *Link) pace(r io.Reader) io.Reader {
	burst := max(streamBurst, l.server.sizes.frame())
	return &paced{
		r:     r,
		link:  l,
		burst: burst,
		left:  burst,
		last:  time.Now(),
	}
}

func (p *paced) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	now := time.Now()
	p.left = min(p.left+int(now.Sub(p.last).Seconds()*streamRate), p.burst) - n
	if p.last = now; p.left < 0 {
		p.link.pause(time.Duration(-p.left) * time.Second / streamRate)
	}
	return n, err
}
