package risk

import (
	"cmp"
	"sync"
	"time"

	"mcpproxy"
)

// Send describes one call that sends something outside, for a [Watch].
type Send struct {
	Session      string
	Tool         string // server:tool, or the agent's own tool
	At           time.Time
	Bytes        int      // length of what is sent
	Destinations []string // in a form that may be shown
	Sensitive    bool     // it carries a secret or personal data
	Tainted      bool     // sensitive data was read in its session before
}

// Limits of what is stored. The least recently used is dropped.
const (
	maxSessions = 2000
	maxTools    = 2000
)

// Watch records how much leaves, how often and where to, by session and by tool. It is deterministic: it uses only
// the times of the calls.
type Watch struct {
	mu       sync.Mutex
	sessions recent[session]
	tools    recent[baseline]
}

// NewWatch returns an empty watch.
func NewWatch() *Watch {
	return &Watch{sessions: newRecent[session](maxSessions), tools: newRecent[baseline](maxTools)}
}

// Observe counts a call that is about to be made and returns signals for what is unusual about it. A call that is
// stopped later stays counted, so that concurrent calls cannot each use the same remaining allowance.
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

// Learn adds a call that was sent to the baseline.
func (w *Watch) Learn(s Send) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sessions.get(s.Session).sizes.add(s.Bytes)
	w.tools.get(s.Tool).learn(s)
}

// behavioural returns a behavioural signal.
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

// between returns v, limited to the range from low to high.
func between[T cmp.Ordered](low, v, high T) T { return max(low, min(v, high)) }
