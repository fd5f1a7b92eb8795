package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Event is one server-sent event (WHATWG HTML, section 9.2).
type Event struct {
	Name string // "message" if the stream names none
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

// Next returns the next event with data. It skips an event over the limit and returns a
// *TooLargeError; the caller may continue reading.
func (e *EventReader) Next() (Event, error) {
	ev := Event{Name: "message"}
	for {
		line, err := e.line()
		if err != nil {
			return Event{}, err
		}
		if len(line) == 0 { // a blank line ends the event
			switch {
			case len(ev.Data) > e.limit:
				return Event{}, &TooLargeError{Limit: e.limit, Head: ev.Data[:min(len(ev.Data), frameEnd)]}
			case len(ev.Data) > 0:
				return ev, nil
			}
			ev = Event{Name: "message"}
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
			if ev.Data == nil {
				ev.Data = value[:min(len(value), e.limit+1)] // the line belongs to this event
				continue
			}
			if len(ev.Data) <= e.limit {
				ev.Data = append(ev.Data, '\n')
				ev.Data = append(ev.Data, value[:min(len(value), max(0, e.limit+1-len(ev.Data)))]...)
			}
		}
	}
}

// line reads one line without its end. Of a line over the limit it keeps just enough to show that
// the line was too long.
func (e *EventReader) line() ([]byte, error) {
	var line []byte
	for {
		part, err := e.r.ReadSlice('\n')
		line = append(line, part[:min(len(part), max(0, e.limit+64-len(line)))]...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// AppendEvent writes one event of type message.
func AppendEvent(dst []byte, data []byte) []byte {
	dst = append(dst, "event: message\ndata: "...)
	// A message contains raw line ends only if its sender indented it. A carriage return is white
	// space in JSON, but ends a line in a stream.
	data = bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	for i, part := range bytes.Split(data, []byte("\n")) {
		if i > 0 {
			dst = append(dst, "\ndata: "...)
		}
		dst = append(dst, part...)
	}
	return append(dst, "\n\n"...)
}
