package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Event is one server-sent event (WHATWG HTML, section 9.2).
type Event struct {
	Name string // "message" when the stream names none
	ID   string
	Data []byte
}

// EventReader reads server-sent events with bounded memory.
type EventReader struct {
	r     *bufio.Reader
	limit int
}

// NewEventReader reads events whose data is at most limit bytes from r.
func NewEventReader(r io.Reader, limit int) *EventReader {
	return &EventReader{bufio.NewReaderSize(r, 16<<10), limit}
}

// Next returns the next event that carries data. An event over the limit is
// skipped and reported as a *TooLargeError; reading may go on after it.
func (e *EventReader) Next() (Event, error) {
	ev := Event{Name: "message"}
	size := 0
	for {
		line, n, err := e.line()
		if err != nil {
			return Event{}, err
		}
		size += n
		if n == 0 { // a blank line ends the event
			switch {
			case size > e.limit:
				return Event{}, &TooLargeError{e.limit, ev.Data[:min(len(ev.Data), 4096)]}
			case len(ev.Data) > 0:
				return ev, nil
			}
			ev, size = Event{Name: "message"}, 0
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			ev.Name = string(value)
		case "id":
			ev.ID = string(value)
		case "data":
			if ev.Data != nil {
				ev.Data = append(ev.Data, '\n')
			}
			ev.Data = append(ev.Data, value[:min(len(value), max(0, e.limit+1-len(ev.Data)))]...)
		}
	}
}

// line reads one line, of which it keeps at most limit bytes, and reports its
// whole length.
func (e *EventReader) line() (line []byte, n int, err error) {
	for {
		part, err := e.r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			n += len(part)
			line = append(line, part[:min(len(part), max(0, e.limit+64-len(line)))]...)
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		part = bytes.TrimRight(part, "\r\n")
		n += len(part)
		line = append(line, part[:min(len(part), max(0, e.limit+64-len(line)))]...)
		return line, n, nil
	}
}

// AppendEvent writes one event of type message.
func AppendEvent(dst []byte, data []byte) []byte {
	dst = append(dst, "event: message\ndata: "...)
	// A message has no raw newlines unless its sender indented it.
	for i, part := range bytes.Split(data, []byte("\n")) {
		if i > 0 {
			dst = append(dst, "\ndata: "...)
		}
		dst = append(dst, bytes.TrimSuffix(part, []byte("\r"))...)
	}
	return append(dst, "\n\n"...)
}
