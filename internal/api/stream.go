package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"mcpproxy/internal/auth"
	"mcpproxy/internal/suggest"
)

const (
	keepAlive    = 15 * time.Second // between keep-alive messages on a quiet stream
	writeTimeout = 30 * time.Second // timeout for a reader that has stopped reading
	reconnect    = 2000             // milliseconds until a reader reconnects
)

// stream is GET /events.
func (s *server) stream(w http.ResponseWriter, r *http.Request) {
	wants, err := wanted(r.URL.Query()["types"])
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	after := r.Header.Get("Last-Event-ID")
	if after == "" {
		after = r.URL.Query().Get("last_event_id")
	}
	events, missed := s.Events.subscribe(after, wants)
	if events == nil {
		fail(w, http.StatusServiceUnavailable, fmt.Sprintf("%d readers listen already: end one of them", maxReaders))
		return
	}
	defer s.Events.unsubscribe(events)
	// Calls wait for an answer while a person who can answer has the page open.
	if id := auth.From(r.Context()); id.Page != "" && id.IsOwner() && wants("approval.requested") {
		defer s.Events.pageOpened()()
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	out := &streamWriter{w, http.NewResponseController(w)}
	opening := fmt.Appendf(nil, "retry: %d\nevent: status\ndata: {\"version\":%q}\n\n%s", reconnect, s.Version, missed)
	if !out.write(opening) {
		return
	}
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	for {
		select {
		case msg, ok := <-events.events:
			if !ok {
				out.write(
					[]byte(
						"event: dropped\ndata: {\"reason\":\"the stream was closed or read too slowly; connect again\"}\n\n",
					),
				)
				return
			}
			if !out.write(msg) {
				return
			}
		case <-alive.C:
			if !out.write([]byte(": alive\n\n")) {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

// streamWriter writes to a reader that may have stopped reading.
type streamWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (w *streamWriter) write(b []byte) bool {
	_ = w.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // if no deadline can be set, a write may block longer
	if _, err := w.Write(b); err != nil {
		return false
	}
	return w.control.Flush() == nil
}

// wanted parses the filter of a stream: event names, or prefixes of names followed by a star.
func wanted(types []string) (func(string) bool, error) {
	var names, begins []string
	for _, t := range strings.Split(strings.Join(types, ","), ",") {
		begin, star := strings.CutSuffix(strings.TrimSpace(t), "*")
		switch {
		case begin == "" && !star:
		case star && slices.ContainsFunc(EventNames, func(n string) bool { return strings.HasPrefix(n, begin) }):
			begins = append(begins, begin)
		case !star && slices.Contains(EventNames, begin):
			names = append(names, begin)
		default:
			return nil, noSuchEvent(t)
		}
	}
	if len(names)+len(begins) == 0 {
		return func(string) bool { return true }, nil
	}
	return func(name string) bool {
		return slices.Contains(names, name) ||
			slices.ContainsFunc(begins, func(b string) bool { return strings.HasPrefix(name, b) })
	}, nil
}

func noSuchEvent(name string) error {
	hint := ""
	if n := suggest.Nearest(name, EventNames); n != "" {
		hint = fmt.Sprintf(": did you mean %q?", n)
	}
	return fmt.Errorf("types: there is no event %q%s; there are %s", name, hint, strings.Join(EventNames, ", "))
}
