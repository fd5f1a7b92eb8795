package alert

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"mcpproxy"
)

// Settings are what configuration says about alerts; they change on reload.
type Settings struct {
	URL    string // security.alerts.webhook_url; "" means no alerts
	Secret string // signs what is posted; "" signs nothing
	PII    bool   // whether detected data alone is an alert
}

// Timing is how long things take. The zero value of each field stands for its
// default.
type Timing struct {
	Window  time.Duration // in which the same alert is counted; 1 minute
	Timeout time.Duration // of one attempt; 10 s
	Backoff time.Duration // before the second attempt, doubled after each; 1 s
}

const (
	queueSize  = 256  // alerts that wait for the receiver
	maxOpen    = 1000 // alerts of which repetitions are counted
	maxBackoff = time.Minute
	attempts   = 6
)

// Webhook reports the outcome of alerts.
type Webhook struct {
	Configured bool      `json:"configured"`
	Sent       uint64    `json:"sent"`
	Merged     uint64    `json:"merged" doc:"Counted in another alert"`
	Failed     uint64    `json:"failed" doc:"The receiver did not take them"`
	Dropped    uint64    `json:"dropped" doc:"There was no room for them to wait"`
	Waiting    int       `json:"waiting"`
	LastSent   time.Time `json:"last_sent,omitzero"`
	LastError  string    `json:"last_error,omitempty"`
}

// Sender posts alerts to a webhook.
type Sender struct {
	settings atomic.Pointer[Settings]
	timing   Timing
	client   *http.Client
	queue    chan Alert
	closing  chan struct{} // closed when nothing is tried again any more
	done     chan struct{}
	requests context.Context
	abort    context.CancelFunc
	busy     atomic.Bool // an alert is on its way

	mu     sync.Mutex
	open   map[string]*repeated
	closed bool
	stats  Webhook
}

// repeated counts an alert that was posted already.
type repeated struct {
	until time.Time
	first time.Time
	last  Alert
	count int // since it was posted
}

// New returns a sender that works until Close.
func New(s Settings, t Timing) *Sender {
	for _, d := range []struct {
		at *time.Duration
		or time.Duration
	}{{&t.Window, time.Minute}, {&t.Timeout, 10 * time.Second}, {&t.Backoff, time.Second}} {
		if *d.at == 0 {
			*d.at = d.or
		}
	}
	ctx, abort := context.WithCancel(context.Background())
	out := &Sender{
		timing:   t,
		client:   newClient(t.Timeout),
		queue:    make(chan Alert, queueSize),
		closing:  make(chan struct{}),
		done:     make(chan struct{}),
		requests: ctx,
		abort:    abort,
		open:     map[string]*repeated{},
	}
	out.Configure(s)
	go out.work()
	go out.sweep()
	return out
}

// Configure changes where the alerts to come are posted.
func (s *Sender) Configure(c Settings) { s.settings.Store(&c) }

// Hear takes an event. It never blocks. The record must be masked, and nobody may
// change it afterwards.
func (s *Sender) Hear(event string, r *mcpproxy.Record) {
	c := s.settings.Load()
	if c.URL == "" || !Wanted(event, r, c.PII) {
		return
	}
	a := Of(event, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.repeats(a) {
		return
	}
	if len(s.open) < maxOpen {
		s.open[a.key()] = &repeated{until: time.Now().Add(s.timing.Window), last: a}
	}
	s.enqueue(a)
}

// repeats counts an alert that is like one of the last ones. Several events of the
// same record count once.
func (s *Sender) repeats(a Alert) bool {
	p := s.open[a.key()]
	if p == nil {
		return false
	}
	if p.last.ActivityID == a.ActivityID {
		return true
	}
	if p.count == 0 {
		p.first = a.Time
	}
	p.count++
	p.last = a
	s.stats.Merged++
	return true
}

// enqueue lets an alert wait for its turn, if there is room.
func (s *Sender) enqueue(a Alert) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d", a.Event, a.ActivityID, a.Count))
	a.ID = hex.EncodeToString(sum[:12])
	select {
	case s.queue <- a:
	default:
		s.stats.Dropped++
	}
}

// sweep posts what was counted when its window ends.
func (s *Sender) sweep() {
	tick := time.NewTicker(max(s.timing.Window/10, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-s.closing:
			return
		case now := <-tick.C:
			s.mu.Lock()
			if !s.closed {
				s.settle(now)
			}
			s.mu.Unlock()
		}
	}
}

// settle ends the windows that are over at a time.
func (s *Sender) settle(now time.Time) {
	for key, p := range s.open {
		switch {
		case now.Before(p.until):
		case p.count == 0:
			delete(s.open, key)
		default:
			a := p.last
			a.Count, a.First = p.count, p.first
			a.Text += fmt.Sprintf(" (%d times)", a.Count)
			s.enqueue(a)
			p.count, p.until = 0, now.Add(s.timing.Window)
		}
	}
}

// Close posts what waits, once each, until ctx ends.
func (s *Sender) Close(ctx context.Context) {
	s.mu.Lock()
	if !s.closed {
		s.settle(time.Now().Add(s.timing.Window * 2))
		s.closed = true
		close(s.closing)
		close(s.queue)
	}
	s.mu.Unlock()
	select {
	case <-s.done:
	case <-ctx.Done():
		s.abort()
		<-s.done
	}
	s.abort()
	s.client.CloseIdleConnections()
}

// Stats are the counts since the start.
func (s *Sender) Stats() Webhook {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.stats
	out.Configured = s.settings.Load().URL != ""
	out.Waiting = len(s.queue)
	if s.busy.Load() {
		out.Waiting++
	}
	return out
}
