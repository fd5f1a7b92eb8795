package flow

import "sync"

// HookPrefix is the prefix of the keys of sessions for which an agent's hooks report.
const HookPrefix = "hook:"

// HookKey returns the key of the flow session for the session id that an agent's hooks report.
func HookKey(session string) string { return HookPrefix + session[:min(len(session), maxID)] }

// maxID is the maximum length of a client's name for a session that is kept.
const maxID = 128

// maxLinks is the number of links that are kept. The oldest are dropped first.
const maxLinks = 10_000

// links records which sessions became parts of others.
type links struct {
	mu    sync.RWMutex
	to    map[string]string
	order []string // oldest first
}

// follow returns the key at the end of a chain of links.
func (l *links) follow(key string) string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for range maxLinks {
		next, ok := l.to[key]
		if !ok {
			break
		}
		key = next
	}
	return key
}

// add links from to another key. The caller has followed both keys, so no cycle can arise.
func (l *links) add(from, to string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to == nil {
		l.to = map[string]string{}
	}
	if _, ok := l.to[from]; !ok {
		l.order = append(l.order, from)
	}
	l.to[from] = to
	for len(l.order) > maxLinks {
		delete(l.to, l.order[0])
		l.order = l.order[1:]
	}
}

// all returns the links, the oldest first, each with its target.
func (l *links) all() [][2]string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	out := make([][2]string, 0, len(l.order))
	for _, from := range l.order {
		out = append(out, [2]string{from, l.to[from]})
	}
	return out
}

// Session returns the key of the session in which data is tracked: the session to which key was linked, or key
// itself.
func (t *Tracker) Session(key string) string { return t.links.follow(key) }

// Live reports whether there is a session with the key.
func (t *Tracker) Live(key string) bool {
	_, ok := t.sessions.Peek(t.Session(key))
	return ok
}

// Join makes one session a part of another permanently: its state moves there, and later calls under its key count
// there too.
func (t *Tracker) Join(from, into string) {
	t.joining.Lock()
	defer t.joining.Unlock()
	key := from
	from, into = t.Session(from), t.Session(into)
	if from == into {
		return
	}
	t.links.add(from, into)
	target := t.sessions.Get(into)
	if old, ok := t.sessions.Peek(from); ok && old != target {
		target.lock() // only this function locks two sessions at once
		old.lock()
		target.absorb(old)
		t.charge(old)
		old.mu.Unlock()
		target.mu.Unlock()
		t.sessions.End(from)
	}
	t.with(into, func(s *Session) {
		s.linked[key] = true
		l := t.limits.Load()
		s.bound(l.MaxOrigins, l.sessionBytes())
	})
}

// open returns the session for key, locked. The caller must close it. The change is counted under the lock, so
// whoever sees the count and then saves waits until the change is done.
func (t *Tracker) open(key string) *Session {
	defer t.changes.Add(1)
	s := t.sessions.Get(t.Session(key))
	for s.lock(); s.joined != nil || s.ended; s.lock() { // another goroutine may have joined or ended it meanwhile
		next := s.joined
		s.mu.Unlock()
		if next == nil {
			next = t.sessions.Get(t.Session(key))
		}
		s = next
	}
	s.version++
	return s
}

// with calls do with the session for key. If do panics, the session is unlocked nevertheless.
func (t *Tracker) with(key string, do func(*Session)) {
	s := t.open(key)
	defer t.close(s)
	do(s)
}

// close updates the memory that is counted for a session and unlocks it.
func (t *Tracker) close(s *Session) {
	over := t.charge(s)
	s.mu.Unlock()
	if over {
		t.relieve()
	}
}

// Ended removes an expired session. report is false if the end need not be reported: for the bucket of a principal,
// and for a session that became part of another.
func (t *Tracker) Ended(key string, s *Session) (sum Summary, report bool) {
	t.changes.Add(1)
	s.lock()
	s.ended = true
	t.charge(s)
	elsewhere := s.joined != nil || s.moved
	s.mu.Unlock()
	return s.Summary(), !elsewhere && !isBucket(key)
}
