package flow

import (
	"cmp"
	"slices"
)

// The memory that flows may take, in bytes.
const (
	sessionBytes = 64 << 20  // of one session
	totalBytes   = 512 << 20 // of all sessions
)

// bytes is the memory that grows with what a session has seen.
func (s *Session) bytes() int {
	const origin, move, destination = 400, 600, 300 // with their strings, on average
	return s.contents.Bytes() + len(s.origins)*origin + len(s.moves)*move + len(s.destinations)*destination + s.directory.bytes()
}

// bound evicts until the session holds no more than its limits. The newest
// origin stays.
func (s *Session) bound(origins, bytes int) {
	before := s.bytes()
	for len(s.origins) > origins && s.evict(1, s.next-1, drop) {
	}
	if s.bytes() > bytes {
		s.shrink(bytes-bytes/10, s.next-1, drop) // a little more, not to be back at once
	}
	s.freed += max(before-s.bytes(), 0)
}

// shrink evicts until the session takes no more than some bytes, or how has
// nothing more to give.
func (s *Session) shrink(bytes, newest int, how eviction) {
	step := len(s.origins)/16 + 1
	for s.bytes() > bytes && (s.evict(step, newest, thin) || how == drop && s.evict(step, newest, drop)) {
	}
}

// eviction is how much of the origins with secrets is given up.
type eviction int

const (
	thin eviction = iota // all but their secrets
	drop                 // them too
)

// evict forgets up to n origins, but never the newest: the oldest of those
// without secrets first, then what is left of the others. It reports whether
// anything was forgotten.
func (s *Session) evict(n, newest int, how eviction) bool {
	done := false
	for ; n > 0; n-- {
		switch {
		case len(s.plain) > 0 && s.plain[0] != newest:
			s.drop(s.plain[0])
			s.plain = s.plain[1:]
		case how == thin && s.thinned < len(s.sensitive) && s.sensitive[s.thinned] != newest:
			s.contents.Thin(s.sensitive[s.thinned])
			s.thinned++
		case how == drop && len(s.sensitive) > 0 && s.sensitive[0] != newest:
			s.drop(s.sensitive[0])
			s.sensitive = s.sensitive[1:]
			s.thinned = max(s.thinned-1, 0)
		default:
			return done
		}
		done = true
	}
	return done
}

func (s *Session) drop(n int) {
	s.contents.Drop(n)
	delete(s.origins, n)
	s.evicted++
}

func (l *Limits) sessionBytes() int { return cmp.Or(l.SessionBytes, sessionBytes) }

func (l *Limits) totalBytes() int { return cmp.Or(l.TotalBytes, totalBytes) }

// charge counts the memory of s, whose lock the caller holds. It reports whether
// all sessions together take more than they may.
func (t *Tracker) charge(s *Session) (over bool) {
	now := 0
	if !s.ended && s.joined == nil {
		now = s.bytes()
	}
	used := t.used.Add(int64(now - s.charged))
	s.charged = now
	return used > int64(t.limits.Load().totalBytes())
}

// relieve frees memory when all sessions together take too much: the sessions
// that were used least recently give first, and secrets go last.
func (t *Tracker) relieve() {
	if !t.relieving.TryLock() {
		return // somebody does
	}
	defer t.relieving.Unlock()
	limit := int64(t.limits.Load().totalBytes())
	enough := limit - limit/10
	for _, how := range []eviction{thin, drop} {
		for _, s := range t.leastRecent() {
			over := t.used.Load() - enough
			if over <= 0 {
				return
			}
			s.lock()
			if !s.ended && s.joined == nil {
				before := s.bytes()
				s.shrink(before-int(over), -1, how)
				s.freed += max(before-s.bytes(), 0)
			}
			t.charge(s)
			s.mu.Unlock()
		}
	}
}

// leastRecent lists the sessions, the least recently used first.
func (t *Tracker) leastRecent() []*Session {
	type used struct {
		s  *Session
		at int64
	}
	var all []used
	for _, s := range t.sessions.All() {
		s.lock()
		all = append(all, used{s, s.last.UnixNano()})
		s.mu.Unlock()
	}
	slices.SortFunc(all, func(a, b used) int { return cmp.Compare(a.at, b.at) })
	out := make([]*Session, len(all))
	for i, u := range all {
		out[i] = u.s
	}
	return out
}
