package upstream

import (
	"io"
	"sync"
	"time"
)

// Unrequested messages of a server may use only a limited share of one processor. Beyond it the
// reader pauses, and the server has to wait. Requested messages do not count.
const (
	floodBurst = 500 * time.Microsecond // work before the first pause
	floodPause = 4                      // pause as a multiple of the work; equal to the work while a caller waits
	floodCalm  = 100 * time.Millisecond // silence after which the count is reset
)

// flood measures the work for a server's unrequested messages.
type flood struct {
	mu   sync.Mutex
	work time.Duration
	last time.Time
}

// add counts a message whose handling began at begin. It returns the accumulated work if the reader
// must pause, or 0.
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

// rest pauses the reader of a link after many unrequested messages. The pause is short while a
// caller waits for an answer that may follow them.
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
	streamBurst = 16 << 20 // bytes read without delay: one answer of the maximum size
	streamRate  = 16 << 20 // bytes per second read from a stream that goes on
)

// paced limits the rate of reading a stream. A server that writes endlessly then blocks on the full
// pipe, and neither the server nor the reader uses a whole processor.
type paced struct {
	r     io.Reader
	link  *Link
	burst int // bytes that may be read at once after a pause
	left  int // remaining bytes of the burst
	last  time.Time
}

// pace returns a rate-limited reader of r for the link.
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
