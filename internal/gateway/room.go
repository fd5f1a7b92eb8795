package gateway

import (
	"fmt"
	"slices"
	"time"
)

// Limits on what clients can make the gateway store.
const (
	maxSessions   = 1024     // open sessions
	maxPerClient  = 256      // open sessions of one principal
	maxHello      = 64 << 10 // bytes of a client's initialize params
	maxBatch      = 256      // messages in one batch
	maxMethod     = 128      // characters of a method's name
	maxRequestID  = 256      // bytes of a request's id
	activeFor     = time.Minute
	sessionBounds = "%d sessions are open, or %d of this client, and all of them are in use: end one with DELETE, or try again later"
)

var (
	greetingTooLarge = fmt.Sprintf("the client's capabilities and clientInfo are larger than %d KB", maxHello>>10)
	noRoom           = fmt.Sprintf(sessionBounds, maxSessions, maxPerClient)
)

// makeRoom makes room for one more session of principal. At a limit it removes an idle session from
// the list and returns it; the caller must end it. Sessions that never called anything are removed
// first, the least recently used one before the others. Room is false if every candidate is active.
// The caller holds g.mu.
func (g *Gateway) makeRoom(principal string, now time.Time) (ended *session, room bool) {
	var own, all []standing
	for _, s := range g.sessions {
		at := s.standsAt(now)
		all = append(all, at)
		if s.principal == principal {
			own = append(own, at)
		}
	}
	var candidates []standing
	switch {
	case len(own) >= maxPerClient:
		candidates = own
	case len(all) >= maxSessions:
		candidates = all
	default:
		return nil, true
	}
	candidates = slices.DeleteFunc(candidates, func(s standing) bool { return s.active })
	if len(candidates) == 0 {
		return nil, false
	}
	ended = slices.MinFunc(candidates, standing.compare).session
	delete(g.sessions, ended.id)
	return ended, true
}

// standing is the rank that decides which session is removed for a new one.
type standing struct {
	session *session
	active  bool // the session is opening, a request is running, a stream is open, or it made a call recently
	called  bool
	used    time.Time
}

// standsAt returns the session's standing at a time.
func (s *session) standsAt(now time.Time) standing {
	s.mu.Lock()
	defer s.mu.Unlock()
	return standing{
		session: s,
		active:  s.opening || s.standing != nil || len(s.open) > 0 || s.called && now.Sub(s.used) < activeFor,
		called:  s.called,
		used:    s.used,
	}
}

// compare orders sessions: the first is removed first.
func (s standing) compare(other standing) int {
	if s.called != other.called {
		if other.called {
			return -1
		}
		return 1
	}
	return s.used.Compare(other.used)
}
