package flow

import "sync"

// HookPrefix is the prefix of the keys of sessions that an agent's hooks report.
const HookPrefix = "hook:"

// HookKey returns the key of the flow session for the session id that an agent's hooks report.
func HookKey(session string) string { return HookPrefix + session[:min(len(session), maxID)] }

// maxID is the maximum length of a session id of a client; the rest is cut off.
const maxID = 128

// maxLinks is the maximum number of links. The oldest are dropped first.
const maxLinks = 10_000

// links records which sessions became parts of other sessions.
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

// all returns each linked key with its target, the oldest first.
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

// Join makes one session a part of another permanently. Its state moves there, and later calls under its key count
// there.
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

// open returns the session for key, locked. The caller must close it. The change is counted under the lock, so a
// goroutine that sees the count and then saves waits until the change is done.
func (t *Tracker) open(key string) *Session {
	defer t.changes.Add(1)
	s := t.sessions.Get(t.Session(key))
	for s.lock(); s.joined != nil || s.ended; s.lock() { // another goroutine may have joined or ended it
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

// with calls do with the session for key. It unlocks the session even if do panics.
func (t *Tracker) with(key string, do func(*Session)) {
	s := t.open(key)
	defer t.close(s)
	do(s)
}

// close updates the memory that the tracker counts for a session, and unlocks it.
func (t *Tracker) close(s *Session) {
	over := t.charge(s)
	s.mu.Unlock()
	if over {
		t.relieve()
	}
}

// Ended removes an expired session. report is false for the bucket of a principal, and for a session that became part
// of another session: their end is not reported.
func (t *Tracker) Ended(key string, s *Session) (sum Summary, report bool) {
	t.changes.Add(1)
	s.lock()
	s.ended = true
	t.charge(s)
	elsewhere := s.joined != nil || s.moved
	s.mu.Unlock()
	return s.Summary(), !elsewhere && !isBucket(key)
}
