package gateway

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"mcpproxy/internal/wire"
)

// stream answers one HTTP request. The answer is a single JSON message if no other message comes
// before it, and server-sent events otherwise. Senders never wait: messages are queued, and the
// request's own goroutine writes them ([stream.run]). A client that does not read loses
// notifications but delays nobody.
type stream struct {
	w     http.ResponseWriter
	era   wire.Era
	eager bool          // the client accepts events
	wake  chan struct{} // signals a queued message or the end of the stream

	mu      sync.Mutex
	queue   []*wire.Message
	bytes   int  // bytes in the queue
	waiting int  // responses that are not queued yet
	ended   bool // no further messages are accepted
}

const (
	maxQueued      = 256     // messages waiting to be written
	maxQueuedBytes = 4 << 20 // total size at which notifications are dropped
	// writeTimeout is how long a client may leave one message unread.
	writeTimeout = 30 * time.Second
)

func newStream(w http.ResponseWriter, r *http.Request, era wire.Era, responses int) *stream {
	return &stream{
		w:       w,
		waiting: responses,
		era:     era,
		wake:    make(chan struct{}, 1),
		eager:   strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/event-stream"),
	}
}

// event queues a message that is not a final answer. It reports whether the stream accepted the
// message.
func (s *stream) event(m *wire.Message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || !s.eager {
		return false
	}
	if len(s.queue) >= maxQueued || s.bytes >= maxQueuedBytes {
		return m.IsNotification() // a dropped notification needs no other stream
	}
	s.push(m)
	return true
}

// respond queues one response. After the last response the stream ends.
func (s *stream) respond(m *wire.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.waiting--
	s.ended = s.waiting <= 0
	s.push(m)
}

func (s *stream) push(m *wire.Message) {
	s.queue = append(s.queue, m)
	s.bytes += len(m.Raw)
	s.signal()
}

func (s *stream) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// end stops the stream, even if responses are missing.
func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.signal()
}

// take returns the queued messages and empties the queue.
func (s *stream) take() (batch []*wire.Message, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	batch, s.queue, s.bytes = s.queue, nil, 0
	return batch, s.ended
}

// run writes the queued messages until the stream or ctx ends. It is called once, by the request's
// goroutine. A GET stream sends its header at once.
func (s *stream) run(ctx context.Context, standing bool) {
	defer s.end()
	if standing {
		s.open()
	}
	for events := standing; ; {
		select {
		case <-s.wake:
		case <-ctx.Done():
			return
		}
		batch, ended := s.take()
		if ended && !events && len(batch) == 1 {
			s.single(batch[0])
			return
		}
		for _, m := range batch {
			if !events {
				s.open()
				events = true
			}
			if !s.write(m.Raw) {
				return
			}
		}
		if ended {
			return
		}
	}
}

// single answers with one JSON message.
func (s *stream) single(m *wire.Message) {
	s.w.Header().Set("Content-Type", "application/json")
	if s.era == wire.Stateless {
		s.w.WriteHeader(wire.Status(m))
	}
	_, _ = s.w.Write(m.Raw)
}

// open sends the header of an event stream.
func (s *stream) open() {
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	s.w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(s.w).Flush()
}

func (s *stream) write(raw []byte) bool {
	control := http.NewResponseController(s.w)
	_ = control.SetWriteDeadline(time.Now().Add(writeTimeout))
	_, err := s.w.Write(wire.AppendEvent(nil, raw))
	if err == nil {
		err = control.Flush()
	}
	_ = control.SetWriteDeadline(time.Time{})
	return err == nil
}
