package upstream

import (
	"bytes"
	"sync"
	"time"
)

const (
	logLines  = 500
	logLength = 4096 // bytes of one line that are kept
)

// LogLine is one line that a server wrote to its standard error.
type LogLine struct {
	Time time.Time `json:"time"`
	Text string    `json:"text"`
}

// logBuffer keeps the last lines written to it.
type logBuffer struct {
	mu      sync.Mutex
	lines   []LogLine
	partial []byte
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(p)
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
	return n, nil
}

func (b *logBuffer) add(text string) {
	if len(b.lines) == logLines {
		b.lines = append(b.lines[:0], b.lines[1:]...)
	}
	b.lines = append(b.lines, LogLine{time.Now().UTC(), text})
}

func (b *logBuffer) note(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(text)
}

func (b *logBuffer) all() []LogLine {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]LogLine(nil), b.lines...)
}
