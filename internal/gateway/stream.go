package gateway

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"mcpproxy/internal/wire"
)

// stream writes what answers one HTTP request: a single JSON message when
// nothing else comes before it, else server-sent events.
type stream struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	sse     bool // events have been sent
	ended   bool
	waiting int  // responses still to come
	eager   bool // the client reads events
	era     wire.Era
	done    chan struct{} // closed when the last response is written
}

func newStream(w http.ResponseWriter, r *http.Request, era wire.Era, responses int) *stream {
	return &stream{w: w, waiting: responses, era: era, done: make(chan struct{}),
		eager: strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/event-stream")}
}

// event sends a message that is no final answer. It reports whether the stream
// could still carry it.
func (s *stream) event(m *wire.Message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || !s.eager {
		return false
	}
	s.start()
	return s.write(m.Raw)
}

// respond sends one response; after the last one the stream ends.
func (s *stream) respond(m *wire.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.waiting--
	switch {
	case s.sse:
		s.write(m.Raw)
	case s.waiting > 0: // one of a batch
		s.start()
		s.write(m.Raw)
	default:
		s.w.Header().Set("Content-Type", "application/json")
		if s.era == wire.Stateless {
			s.w.WriteHeader(wire.Status(m))
		}
		_, _ = s.w.Write(m.Raw)
	}
	if s.waiting <= 0 {
		s.close()
	}
}

// start sends the header of an event stream, once.
func (s *stream) start() {
	if s.sse {
		return
	}
	s.sse = true
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	s.w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(s.w).Flush()
}

// writeTimeout is how long a client may leave one message unread. A client that
// does not read must not hold up those who write to it.
const writeTimeout = 30 * time.Second

func (s *stream) write(raw []byte) bool {
	_ = http.NewResponseController(s.w).SetWriteDeadline(time.Now().Add(writeTimeout))
	_, err := s.w.Write(wire.AppendEvent(nil, raw))
	if err != nil {
		s.close()
		return false
	}
	return http.NewResponseController(s.w).Flush() == nil
}

// end stops the stream, whatever is still to come.
func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close()
}

func (s *stream) close() {
	if !s.ended {
		s.ended = true
		if s.sse {
			_ = http.NewResponseController(s.w).SetWriteDeadline(time.Time{})
		}
		close(s.done)
	}
}
