package risk

import (
	"cmp"
	"sync"
	"time"

	"mcpproxy"
)

// Send is one call that hands something to the outside, as a [Watch] sees it.
type Send struct {
	Session      string
	Tool         string // server:tool, or the agent's own tool
	At           time.Time
	Bytes        int      // length of what is sent
	Destinations []string // as they may be shown
	Sensitive    bool     // it carries a secret or personal data
	Tainted      bool     // sensitive data was read in its session before
}

// What is kept. Beyond it, what was used least recently goes.
const (
	maxSessions = 2000
	maxTools    = 2000
)

// Watch observes how much leaves, how often and where to, by session and by
// tool. It is deterministic: the calls' own times are its only clock.
type Watch struct {
	mu       sync.Mutex
	sessions recent[session]
	tools    recent[baseline]
}

// NewWatch returns a watch that has seen nothing.
func NewWatch() *Watch {
	return &Watch{sessions: newRecent[session](maxSessions), tools: newRecent[baseline](maxTools)}
}

// Observe counts a call that is about to leave and says what is unusual about
// it. What is stopped later has been counted: calls at the same time must not
// each find room for themselves.
func (w *Watch) Observe(s Send, l Limits) []mcpproxy.Signal {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.sessions.get(s.Session)
	seen.add(s, l)
	signals := seen.exceeded(s, l)
	known := w.tools.get(s.Tool)
	signals = append(signals, known.strange(s)...)
	if jump, ok := volumeJump(known.sizes, s.Bytes, s.Tool); ok {
		return append(signals, jump)
	}
	if jump, ok := volumeJump(seen.sizes, s.Bytes, "this session"); ok {
		return append(signals, jump)
	}
	return signals
}

// Learn takes a call that was sent for usual.
func (w *Watch) Learn(s Send) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sessions.get(s.Session).sizes.add(s.Bytes)
	w.tools.get(s.Tool).learn(s)
}

// behavioural is a signal of this room.
func behavioural(kind string, severity mcpproxy.Severity, confidence float64, evidence string) mcpproxy.Signal {
	return mcpproxy.Signal{
		Source:     mcpproxy.SourceBehavioral,
		Kind:       kind,
		Category:   "exfiltration",
		Severity:   severity,
		Confidence: confidence,
		Evidence:   evidence,
	}
}

// between is v, or the nearer of the two ends.
func between[T cmp.Ordered](low, v, high T) T { return max(low, min(v, high)) }
