package upstream

import (
	"bytes"
	"slices"
	"sync"
	"time"
)

const (
	logLines  = 500
	logLength = 4096 // bytes kept of one line
)

// LogLine is one line that a server wrote to its standard error.
type LogLine struct {
	Time time.Time `json:"time"`
	Text string    `json:"text"`
}

// logBuffer keeps the last lines of a server's standard error. It slows down a server that writes
// endlessly.
type logBuffer struct {
	mu      sync.Mutex
	lines   []LogLine
	oldest  int // index of the oldest line once the buffer is full
	partial []byte
	written flood
}

func (b *logBuffer) Write(p []byte) (int, error) {
	begin := time.Now()
	b.keep(p)
	time.Sleep(min(floodPause*b.written.add(begin), floodCalm))
	return len(p), nil
}

func (b *logBuffer) keep(p []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(p) > 0 {
		line, rest, found := bytes.Cut(p, []byte("\n"))
		if room := logLength - len(b.partial); room > 0 {
			b.partial = append(b.partial, line[:min(room, len(line))]...)
		}
		p = rest
		if found {
			b.add(string(bytes.TrimRight(b.partial, "\r")))
			b.partial = b.partial[:0]
		}
	}
}

func (b *logBuffer) add(text string) {
	line := LogLine{time.Now().UTC(), text}
	if len(b.lines) < logLines {
		b.lines = append(b.lines, line)
		return
	}
	b.lines[b.oldest] = line
	b.oldest = (b.oldest + 1) % logLines
}

func (b *logBuffer) note(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(text)
}

func (b *logBuffer) all() []LogLine {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Concat(b.lines[b.oldest:], b.lines[:b.oldest])
}
