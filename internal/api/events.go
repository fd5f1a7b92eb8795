package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const (
	eventBacklog = 256 // events kept for a reader that falls behind
	keepAlive    = 25 * time.Second
)

// Events hands events to everyone who listens. A reader that cannot keep up is
// dropped, and told so.
type Events struct {
	mu      sync.Mutex
	next    int64
	readers map[chan []byte]bool
	closed  bool
}

// NewEvents returns a hub without readers.
func NewEvents() *Events { return &Events{readers: map[chan []byte]bool{}} }

// Publish sends an event to every reader. It never blocks.
func (e *Events) Publish(name string, data any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.next++
	if len(e.readers) == 0 || e.closed {
		return
	}
	body, err := json.Marshal(data)
	if err != nil {
		return
	}
	msg := fmt.Appendf(nil, "id: %d\nevent: %s\ndata: %s\n\n", e.next, name, body)
	for r := range e.readers {
		select {
		case r <- msg:
		default:
			delete(e.readers, r)
			close(r)
		}
	}
}

func (e *Events) subscribe() chan []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := make(chan []byte, eventBacklog)
	if e.closed {
		close(r)
	} else {
		e.readers[r] = true
	}
	return r
}

func (e *Events) unsubscribe(r chan []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.readers[r] {
		delete(e.readers, r)
		close(r)
	}
}

// Close ends every reader's stream.
func (e *Events) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	for r := range e.readers {
		delete(e.readers, r)
		close(r)
	}
}

// stream is GET /events.
func (s *server) stream(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	events := s.Events.subscribe()
	defer s.Events.unsubscribe(events)
	control := http.NewResponseController(w)
	_, _ = fmt.Fprintf(w, "event: status\ndata: {\"version\":%q}\n\n", s.Version)
	_ = control.Flush()
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	for {
		select {
		case msg, ok := <-events:
			if !ok {
				_, _ = fmt.Fprint(w, "event: dropped\ndata: {\"reason\":\"the stream was closed or read too slowly; connect again\"}\n\n")
				_ = control.Flush()
				return
			}
			if _, err := w.Write(msg); err != nil || control.Flush() != nil {
				return
			}
		case <-alive.C:
			if _, err := fmt.Fprint(w, ": alive\n\n"); err != nil || control.Flush() != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}
