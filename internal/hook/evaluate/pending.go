package evaluate

import (
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
)

// What may wait to be looked at, after it has been answered. Beyond it, an event
// is looked at before it is answered.
const (
	maxPending      = 256
	maxPendingBytes = 64 << 20
)

// pending are results that were answered before they were looked at. What comes
// later in their session waits for them.
type pending struct {
	mu    sync.Mutex
	of    map[string][]chan struct{} // by session; each is closed when it is done
	n     int
	bytes int
}

// later does something soon. It reports false, and does nothing, when too much
// waits already.
func (p *pending) later(session string, bytes int, do func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n >= maxPending || p.bytes+bytes > maxPendingBytes {
		return false
	}
	if p.of == nil {
		p.of = map[string][]chan struct{}{}
	}
	done := make(chan struct{})
	p.of[session] = append(p.of[session], done)
	p.n, p.bytes = p.n+1, p.bytes+bytes
	go func() {
		defer p.end(session, bytes, done)
		defer func() {
			if r := recover(); r != nil {
				slog.Error("a result that a hook told of could not be followed", "panic", r, "stack", string(debug.Stack()))
			}
		}()
		do()
	}()
	return true
}

func (p *pending) end(session string, bytes int, done chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n, p.bytes = p.n-1, p.bytes-bytes
	left := slices.DeleteFunc(p.of[session], func(c chan struct{}) bool { return c == done })
	if p.of[session] = left; len(left) == 0 {
		delete(p.of, session)
	}
	close(done)
}

// wait returns when everything that waits now in a session is done.
func (p *pending) wait(session string) {
	p.mu.Lock()
	all := slices.Clone(p.of[session])
	p.mu.Unlock()
	for _, done := range all {
		<-done
	}
}

// all returns when everything that waits now is done.
func (p *pending) all() {
	p.mu.Lock()
	var sessions []string
	for s := range p.of {
		sessions = append(sessions, s)
	}
	p.mu.Unlock()
	for _, s := range sessions {
		p.wait(s)
	}
}
