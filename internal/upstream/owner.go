package upstream

import (
	"context"
	"sync"
	"time"

	"mcpproxy"
)

// Owner identifies whom a link belongs to. Two owners never share a link.
type Owner struct {
	Principal string
	Session   string // session of the gateway; "" for requests of a principal without one
	Variant   string // distinguishes links with different handshakes of one owner
}

const (
	// defaultSessions is the default maximum of links of owners for each server.
	defaultSessions = 32
	// ownerIdle is how long the link of a principal without a session may be unused.
	// A session's link lives as long as the session.
	ownerIdle = time.Hour
)

// Own returns the owner's link, and opens it with the given greeting if there is none. Listener
// receives messages that belong to no call. If the greeting is Common, the caller need not call
// [Link.Initialized].
//
// The link is not evicted in favour of another owner until release is called, which the caller must
// do after its call.
func (s *Server) Own(ctx context.Context, owner Owner, g Greeting, listener Listener) (
	link *Link, release func(), err error) {
	if err := s.usable(); err != nil {
		return nil, nil, err
	}
	if err := s.guard.breaker.refuses(); err != nil {
		return nil, nil, err
	}
	place, err := s.slot(owner)
	if err != nil {
		return nil, nil, err
	}
	release = sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		place.users--
	})
	link, err = s.obtain(ctx, place, func(ctx context.Context) (*Link, error) {
		if !g.Common {
			return s.open(ctx, g, listener, nil)
		}
		renew := func(ctx context.Context) (*Link, func(), error) { return s.Own(ctx, owner, g, listener) }
		return s.openCommon(ctx, g, listener, renew)
	})
	if err != nil {
		release()
		return nil, nil, err
	}
	return link, release, nil
}

// openCommon opens a link whose client is this program, and completes the handshake.
func (s *Server) openCommon(ctx context.Context, g Greeting, listener Listener, renew renewal) (*Link, error) {
	link, err := s.open(ctx, g, listener, renew)
	if err != nil {
		return nil, err
	}
	if err := link.Initialized(ctx); err != nil {
		link.Close()
		return nil, err
	}
	return link, nil
}

// SharesLink reports whether the calls of all principals use one link. Sessions at the server's own
// endpoint have links of their own even then.
func (s *Server) SharesLink() bool { return s.spec.Shared }

// slot returns the slot for an owner's link and adds a user to it. At the limit it frees a slot
// without users; that slot's owner gets a new link when it returns.
func (s *Server) slot(owner Owner) (*slot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	place := s.links[owner]
	if place == nil {
		if err := s.makeRoom(owner.Principal); err != nil {
			return nil, err
		}
		place = &slot{}
		if owner.Session == "" {
			place.idle = time.AfterFunc(ownerIdle, func() { s.retire(owner, place) })
		}
		s.links[owner] = place
	}
	place.used = time.Now()
	place.users++
	return place, nil
}

// makeRoom closes a link if the server has the maximum number of links, or a principal has half of
// them. The principal with the most links loses its least recently used one, so that no principal
// can displace the links of those with fewer. The caller holds the server's lock.
func (s *Server) makeRoom(principal string) error {
	most := or(s.spec.MaxSessions, defaultSessions)
	share := (most + 1) / 2
	held := map[string]int{}
	for o := range s.links {
		held[o.Principal]++
	}
	mine := held[principal]
	if mine < share && len(s.links) < most {
		return nil
	}
	var victim *Owner
	for o, p := range s.links {
		own := o.Principal == principal
		if p.busy() || !own && (mine >= share || held[o.Principal] <= mine) {
			continue
		}
		if victim == nil || held[o.Principal] > held[victim.Principal] ||
			held[o.Principal] == held[victim.Principal] && p.used.Before(s.links[*victim].used) {
			victim = &o
		}
	}
	switch {
	case victim != nil:
		s.drop(*victim)
		return nil
	case mine >= share:
		return mcpproxy.Errorf(mcpproxy.CodeRateLimit, nil,
			"server %q is busy in all %d sessions that one principal may have with it", s.Name(), share).
			Later("try again when one of your calls has ended")
	}
	return mcpproxy.Errorf(mcpproxy.CodeRateLimit, nil,
		"server %q is busy in all %d sessions that max_sessions allows", s.Name(), most).
		Later("try again when others are done")
}

// retire closes a slot that has been idle for long, or schedules the next check.
func (s *Server) retire(owner Owner, place *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.links[owner] != place {
		return
	}
	if rest := ownerIdle - time.Since(place.used); rest > 0 {
		place.idle.Reset(rest)
		return
	}
	if place.users > 0 || place.opening() || place.present() != nil && place.present().held() {
		place.idle.Reset(ownerIdle)
		return
	}
	s.drop(owner)
}

// Drop closes the owner's link or cancels opening it.
func (s *Server) Drop(owner Owner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(owner)
}

// drop does what Drop does. The caller holds the server's lock.
func (s *Server) drop(owner Owner) {
	place := s.links[owner]
	if place == nil {
		return
	}
	delete(s.links, owner)
	place.dropped = true
	if place.idle != nil {
		place.idle.Stop()
	}
	if l := place.present(); l != nil {
		go l.Close() // in a goroutine, because it acquires other locks
	} else if place.opening() {
		place.attempt.giveUp()
	}
}

// dropAll drops the links of all owners for whom match holds.
func (s *Server) dropAll(match func(Owner) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for o := range s.links {
		if match(o) {
			s.drop(o)
		}
	}
}

// EndSession closes the links of one session to all servers.
func (m *Manager) EndSession(principal, session string) {
	m.dropAll(func(o Owner) bool { return o.Principal == principal && o.Session == session })
}

// EndPrincipal closes all links of a principal.
func (m *Manager) EndPrincipal(principal string) {
	m.dropAll(func(o Owner) bool { return o.Principal == principal })
}

func (m *Manager) dropAll(match func(Owner) bool) {
	for _, s := range m.All() {
		s.dropAll(match)
	}
}
