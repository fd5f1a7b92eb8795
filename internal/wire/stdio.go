package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
)

// TooLargeError says that a frame was longer than its reader accepts. The
// reader has skipped the frame and can go on with the next one. Head and Tail hold
// its ends, from which the request it answered can often be told.
type TooLargeError struct {
	Limit      int
	Head, Tail []byte
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("message larger than the limit of %d bytes", e.Limit)
}

// frameEnd is how many bytes of either end of a skipped frame are kept.
const frameEnd = 4096

// LineReader reads messages from a stdio stream, one a line.
type LineReader struct {
	r     *bufio.Reader
	limit int
}

// NewLineReader reads lines of up to limit bytes from r.
func NewLineReader(r io.Reader, limit int) *LineReader {
	return &LineReader{bufio.NewReaderSize(r, 64<<10), limit}
}

// Next returns the next non-empty line. Memory stays bounded by the limit: of a
// longer line only the head is kept, and a *TooLargeError reported.
func (l *LineReader) Next() ([]byte, error) {
	var line, tail []byte
	total := 0
	for {
		part, err := l.r.ReadSlice('\n')
		total += len(part)
		if total > l.limit {
			tail = append(tail[max(0, len(tail)-frameEnd):], part[max(0, len(part)-frameEnd):]...)
		}
		if room := l.limit + 2 - len(line); room > 0 {
			line = append(line, part[:min(room, len(part))]...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			runtime.Gosched() // a server that writes without end does not keep a processor to itself
			continue
		case err != nil && (total == 0 || err != io.EOF):
			return nil, err
		}
		if len(bytes.TrimRight(line, "\r\n")) > l.limit || total > len(line) {
			return nil, &TooLargeError{Limit: l.limit, Head: line[:min(len(line), frameEnd)], Tail: tail}
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
		line, tail, total = nil, nil, 0
	}
}
