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

// Settings is the configuration of alerts. It can change on reload.
type Settings struct {
	URL    string // security.alerts.webhook_url; "" means no alerts
	Secret string // key that signs each body; "" for unsigned bodies
	PII    bool   // whether sensitive data in a call is enough for an alert
}

// Timing holds the durations of the sender. A zero field means its default.
type Timing struct {
	Window  time.Duration // period in which equal alerts are counted; 1 minute
	Timeout time.Duration // timeout of one attempt; 10 s
	Backoff time.Duration // wait before the second attempt, doubled after each; 1 s
}

const (
	queueSize  = 256  // alerts waiting to be posted
	maxOpen    = 1000 // alerts whose repetitions are counted
	maxBackoff = time.Minute
	attempts   = 6
)

// Webhook holds the counts of sent, failed and dropped alerts.
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
	closing  chan struct{} // closed when no attempt is repeated any more
	done     chan struct{}
	requests context.Context
	abort    context.CancelFunc
	busy     atomic.Bool // set while an alert is being posted

	mu     sync.Mutex
	open   map[string]*repeated
	closed bool
	stats  Webhook
}

// repeated counts the repetitions of a posted alert.
type repeated struct {
	until time.Time
	first time.Time
	last  Alert
	count int // events since the alert was posted
}

// New returns a running sender. Close stops it.
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

// Configure changes the settings for later alerts.
func (s *Sender) Configure(c Settings) { s.settings.Store(&c) }

// Hear handles an event and never blocks. The record must be masked and must not change afterwards.
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

// repeats counts the alert if an equal alert was posted in the current window, and reports whether
// it did. Several events of one record count once.
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

// enqueue adds an alert to the queue, or drops the alert if the queue is full.
func (s *Sender) enqueue(a Alert) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d", a.Event, a.ActivityID, a.Count))
	a.ID = hex.EncodeToString(sum[:12])
	select {
	case s.queue <- a:
	default:
		s.stats.Dropped++
	}
}

// sweep posts the counted repetitions when a window ends.
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

// settle closes the windows that ended before the given time.
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

// Close makes one attempt for each queued alert, until ctx ends.
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

// Stats returns the counts since the start.
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
