package flow

import (
	"cmp"
	"slices"
	"unsafe"

	"mcpproxy"
)

// The limits of the memory for flows, in bytes.
const (
	sessionBytes = 40 << 20 // for the origins of one session
	totalBytes   = 40 << 20 // for all sessions, without their secrets
)

// bytes estimates the memory of a session.
func (s *Session) bytes() int {
	const origin, move, destination, name = 400, 600, 300, 100 // average sizes with their strings
	return s.contents.Bytes() + s.passages.Bytes() + s.directory.bytes() + s.ownBytes() + s.coded.bytes() +
		s.written.bytes + s.tokenBytes() +
		len(s.origins)*origin + len(s.moves)*move + len(s.destinations)*destination +
		(len(s.tools)+len(s.linked))*name + int(unsafe.Sizeof(*s))
}

// evictable returns the memory that is freed at once when the session's origins are evicted. Their passages are freed
// later and have a separate limit.
func (s *Session) evictable() int {
	return s.bytes() - s.passages.Bytes() - s.contents.SetBytes() - s.written.bytes - s.tokenBytes() -
		s.coded.bytes()
}

// tokenBytes estimates the memory of single tokens and words. Evicting an origin does not free it.
func (s *Session) tokenBytes() int { return s.carriers.bytes() + s.troubles.bytes() }

// bound evicts origins until the others fit the session's limits. It never evicts the newest origin.
func (s *Session) bound(origins, bytes int) {
	before := s.bytes()
	for len(s.origins) > origins && s.evict(1, s.next-1, drop) {
	}
	if s.evictable() > bytes {
		s.shrink(bytes-bytes/10, s.next-1, drop) // one tenth more, so that evictions are rare
	}
	s.prune()
	s.freed += max(before-s.bytes(), 0)
}

// prune drops the passages of evicted origins if enough origins were evicted since the last time.
func (s *Session) prune() {
	if s.evicted-s.pruned >= max(len(s.origins), pruneAfter) {
		s.forgetPassages()
	}
}

// forgetPassages drops the passages of evicted origins.
func (s *Session) forgetPassages() {
	if s.pruned == s.evicted {
		return
	}
	s.pruned = s.evicted
	alive := make(map[string]bool, len(s.origins))
	for _, o := range s.origins {
		alive[o.CallID] = true
	}
	s.passages.Keep(func(o *mcpproxy.Origin) bool { return alive[o.CallID] })
}

// pruneAfter is the minimum number of evicted origins before their passages are dropped.
const pruneAfter = 8

// shrink evicts until the origins of the session take at most the given number of bytes, or until there is nothing
// left to evict. how says whether secrets may be evicted.
func (s *Session) shrink(bytes, newest int, how eviction) {
	step := len(s.origins)/16 + 1
	for s.evictable() > bytes && (s.evict(step, newest, thin) || how == drop && s.evict(step, newest, drop)) {
	}
}

// eviction says which part of an origin with secrets may be evicted.
type eviction int

const (
	thin eviction = iota // everything except the secrets
	drop                 // the secrets too
)

// evict evicts up to n origins, the oldest without secrets first, and then the oldest with secrets. It never evicts
// the newest origin. It reports whether it evicted anything.
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

// charge updates the memory that the tracker counts for s. It reports whether all sessions together exceed the limit.
// The caller holds the lock of s.
func (t *Tracker) charge(s *Session) (over bool) {
	now := 0
	if !s.ended && s.joined == nil {
		now = s.bytes()
	}
	used := t.used.Add(int64(now - s.charged))
	s.charged = now
	spent := min(used, t.spent.Load())
	t.spent.Store(spent)
	limit := int64(t.limits.Load().totalBytes())
	return used > max(limit, spent+limit/reliefSteps)
}

// reliefSteps limits how often [Tracker.relieve] looks at all sessions. There may be thousands of sessions, and each
// keeps some memory that cannot be freed. If the sessions stay above the limit, relieve runs again only after they
// have grown by limit/reliefSteps.
const reliefSteps = 32

// relieve frees memory when all sessions together exceed the limit. It begins with the session that was used least
// recently, and within a session with the oldest texts. It keeps secrets, which have a limit per session, and skips
// sessions that are in use.
func (t *Tracker) relieve() {
	if !t.relieving.TryLock() {
		return // another call is freeing memory
	}
	defer t.relieving.Unlock()
	full, spent := t.leastRecent()
	defer func() { t.spent.Store(spent) }()
	limit := int64(t.limits.Load().totalBytes())
	enough := limit - limit/10
	for _, s := range full {
		over := t.used.Load() - enough
		if over <= 0 {
			return
		}
		if !s.tryLock() {
			continue
		}
		if !s.ended && s.joined == nil {
			before := s.bytes()
			over -= int64(s.written.bytes)
			s.written = writtenFiles{}
			s.shrink(s.evictable()-int(over), -1, thin)
			if len(s.plain) == 0 && s.thinned == len(s.sensitive) {
				s.contents.Tidy()
				s.drained = true
			}
			s.forgetPassages()
			s.carriers.forget()
			s.troubles = troubles{}
			s.freed += max(before-s.bytes(), 0)
		}
		t.charge(s)
		spent += int64(s.charged)
		s.mu.Unlock()
	}
}

// leastRecent returns the sessions that are not in use and may have memory to free, the least recently used first,
// and how many bytes the others take that are not in use.
func (t *Tracker) leastRecent() (full []*Session, drained int64) {
	type used struct {
		s  *Session
		at int64
	}
	var all []used
	for _, s := range t.sessions.All() {
		if !s.tryLock() {
			continue
		}
		if s.drained {
			drained += int64(s.charged)
		} else {
			all = append(all, used{s, s.last.UnixNano()})
		}
		s.mu.Unlock()
	}
	slices.SortFunc(all, func(a, b used) int { return cmp.Compare(a.at, b.at) })
	full = make([]*Session, len(all))
	for i, u := range all {
		full[i] = u.s
	}
	return full, drained
}
