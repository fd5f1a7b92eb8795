package rig

import (
	"bytes"
	"strings"
	"sync"
)

// Log holds the output of a program. It can be read while the program writes.
type Log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write adds to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

// String returns the whole output.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// Reset empties the log.
func (l *Log) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf.Reset()
}

// Tail returns the last n bytes.
func (l *Log) Tail(n int) string {
	s := l.String()
	return s[max(0, len(s)-n):]
}

// Around returns the part of the log around the first of the given words that occurs in it, or "".
func Around(log string, words ...string) string {
	for _, w := range words {
		if i := strings.Index(log, w); i >= 0 {
			return log[max(0, i-200):min(len(log), i+3000)]
		}
	}
	return ""
}

// Crash returns the part of the log that reports a data race or a panic, or "".
func (l *Log) Crash() string { return Around(l.String(), "DATA RACE", "panic:") }
