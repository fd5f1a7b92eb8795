package flow

import "sync"

// HookPrefix begins the keys of sessions that an agent's hooks report for.
const HookPrefix = "hook:"

// HookKey is the key of the flow session that an agent's hooks report for,
// under the session id that the agent gave them.
func HookKey(session string) string { return HookPrefix + session[:min(len(session), maxID)] }

// maxID is how much of a name that a client chose is kept.
const maxID = 128

// maxLinks bounds the links that are remembered; the oldest go first.
const maxLinks = 10_000

// links are sessions that became parts of others.
type links struct {
	mu    sync.RWMutex
	to    map[string]string
	order []string // oldest first
}

// follow is where a chain of links ends.
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

// add links from to another key. The caller has followed both, so that no chain
// ever closes.
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

// all are the links, oldest first, each with where it leads.
func (l *links) all() [][2]string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	out := make([][2]string, 0, len(l.order))
	for _, from := range l.order {
		out = append(out, [2]string{from, l.to[from]})
	}
	return out
}

// Session is the key under which data is really followed: that of the session
// that key was linked to, or key itself.
func (t *Tracker) Session(key string) string { return t.links.follow(key) }

// Live reports whether there is a session under key.
func (t *Tracker) Live(key string) bool {
	_, ok := t.sessions.Peek(t.Session(key))
	return ok
}

// Join makes one session a part of another, for good: what it has gathered moves
// there, and what comes under its key goes there too.
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
		target.lock() // two sessions are locked at once nowhere else
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

// open returns the session under key, locked. Whoever opens it closes it. The
// change is counted under the lock: whoever sees the count and then saves waits
// for what is done to the session.
func (t *Tracker) open(key string) *Session {
	defer t.changes.Add(1)
	s := t.sessions.Get(t.Session(key))
	for s.lock(); s.joined != nil || s.ended; s.lock() { // it was, in between
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

// with does something with the session under key. A mistake that one call brings
// to light does not leave the session locked.
func (t *Tracker) with(key string, do func(*Session)) {
	s := t.open(key)
	defer t.close(s)
	do(s)
}

// close unlocks a session and counts what it has become.
func (t *Tracker) close(s *Session) {
	over := t.charge(s)
	s.mu.Unlock()
	if over {
		t.relieve()
	}
}

// Ended takes leave of a session that has expired. Report is false when nobody
// needs to hear of it: a principal's bucket, or a session that became a part of
// another.
func (t *Tracker) Ended(key string, s *Session) (sum Summary, report bool) {
	t.changes.Add(1)
	s.lock()
	s.ended = true
	t.charge(s)
	elsewhere := s.joined != nil || s.moved
	s.mu.Unlock()
	return s.Summary(), !elsewhere && !isBucket(key)
}
