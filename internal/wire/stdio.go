package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
)

// TooLargeError is returned for a frame that is longer than its reader accepts. The reader has
// skipped the frame and can read the next one. Head and Tail are the two ends of the frame, which
// often show the request that it answered.
type TooLargeError struct {
	Limit      int
	Head, Tail []byte
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("message larger than the limit of %d bytes", e.Limit)
}

// frameEnd is the number of bytes that are kept of each end of a skipped frame.
const frameEnd = 4096

// LineReader reads messages from a stdio stream, one a line.
type LineReader struct {
	r     *bufio.Reader
	limit int

	// The state of the line that has begun:
	line  []byte // its bytes, up to the limit
	tail  []byte // last bytes of a line that is too long
	total int    // bytes
}

// NewLineReader reads lines of up to limit bytes from r.
func NewLineReader(r io.Reader, limit int) *LineReader {
	return &LineReader{r: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// Next returns the next non-empty line. It keeps at most limit bytes: for a longer line it returns
// a *TooLargeError. After a temporary error of the stream, such as a deadline, the next call
// continues the line.
func (l *LineReader) Next() ([]byte, error) {
	for {
		part, err := l.r.ReadSlice('\n')
		l.add(part)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			runtime.Gosched() // so that a server that writes without end does not occupy a processor
			continue
		case err != nil && (l.total == 0 || err != io.EOF):
			return nil, err
		}
		line := l.line
		tail := l.tail
		total := l.total
		l.line = nil
		l.tail = nil
		l.total = 0
		if len(bytes.TrimRight(line, "\r\n")) > l.limit || total > len(line) {
			return nil, &TooLargeError{Limit: l.limit, Head: line[:min(len(line), frameEnd)], Tail: tail}
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// add appends a part to the line that has begun, up to the limit.
func (l *LineReader) add(part []byte) {
	l.total += len(part)
	if l.total > l.limit {
		l.tail = append(l.tail[max(0, len(l.tail)-frameEnd):], part[max(0, len(part)-frameEnd):]...)
	}
	if room := l.limit + 2 - len(l.line); room > 0 {
		l.line = append(l.line, part[:min(room, len(part))]...)
	}
}
