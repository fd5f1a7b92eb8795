package gateway

import (
	"fmt"
	"slices"
	"time"
)

// Bounds on what clients can make the gateway keep.
const (
	maxSessions   = 1024     // open sessions
	maxPerClient  = 256      // open sessions of one principal
	maxHello      = 64 << 10 // bytes of what a client says about itself
	maxBatch      = 256      // messages in one batch
	maxMethod     = 128      // letters of a method's name
	maxRequestID  = 256      // bytes of a request's id
	activeFor     = time.Minute
	sessionBounds = "%d sessions are open, or %d of this client, and all of them are in use: end one with DELETE, or try again later"
)

var (
	greetingTooLarge = fmt.Sprintf("the client's capabilities and clientInfo are larger than %d KB", maxHello>>10)
	noRoom           = fmt.Sprintf(sessionBounds, maxSessions, maxPerClient)
)

// makeRoom sees to it that one more session of principal fits. Where a bound is
// reached it names an idle session to end, and takes it off the list: of those that
// never called anything the one that was used least recently, or else the one of all
// idle sessions. Room is false when every session that could give way is active. The
// caller holds g.mu.
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

// standing is what decides whether a session gives way to a new one.
type standing struct {
	session *session
	active  bool // it is being opened, a request runs, a stream is open, or it called something a moment ago
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

// compare orders sessions by which of them gives way first.
func (s standing) compare(other standing) int {
	if s.called != other.called {
		if other.called {
			return -1
		}
		return 1
	}
	return s.used.Compare(other.used)
}
