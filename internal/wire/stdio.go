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

	// Of the line that has begun:
	line  []byte // as much as may be kept
	tail  []byte // of one that is too long
	total int    // bytes
}

// NewLineReader reads lines of up to limit bytes from r.
func NewLineReader(r io.Reader, limit int) *LineReader {
	return &LineReader{r: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// Next returns the next non-empty line. Memory stays bounded by the limit: of a
// longer line only the head is kept, and a *TooLargeError reported. After an error of
// the stream that passes, such as a deadline, the line goes on where it was.
func (l *LineReader) Next() ([]byte, error) {
	for {
		part, err := l.r.ReadSlice('\n')
		l.add(part)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			runtime.Gosched() // a server that writes without end does not keep a processor to itself
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

// add adds a part to the line that has begun, as far as there is room.
func (l *LineReader) add(part []byte) {
	l.total += len(part)
	if l.total > l.limit {
		l.tail = append(l.tail[max(0, len(l.tail)-frameEnd):], part[max(0, len(part)-frameEnd):]...)
	}
	if room := l.limit + 2 - len(l.line); room > 0 {
		l.line = append(l.line, part[:min(room, len(part))]...)
	}
}
