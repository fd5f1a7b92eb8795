package upstream

import (
	"context"
	"time"

	"mcpproxy"
)

// slot is the place of one link. Its fields are guarded by Server.mu.
type slot struct {
	attempt *attempt // the last one to open it; nil before the first
	used    time.Time
	dropped bool // nobody wants its link any more
}

// busy reports whether a link is being opened, or somebody waits for an answer on it.
// The server's lock is held.
func (p *slot) busy() bool {
	if p.attempt == nil {
		return true // whoever made the place is about to
	}
	select {
	case <-p.attempt.done:
		return p.attempt.link != nil && p.attempt.link.waiting() > 0
	default:
		return true
	}
}

// attempt is one try to open a link. Whoever wants the link waits for the same
// try, each for as long as it likes.
type attempt struct {
	done chan struct{} // closed when link and err are set
	link *Link
	err  error
}

// present is the slot's link, if it has one that can be used.
func (p *slot) present() *Link {
	if p.attempt == nil {
		return nil
	}
	select {
	case <-p.attempt.done:
		if l := p.attempt.link; l != nil && l.alive() {
			return l
		}
	default:
	}
	return nil
}

// opening reports whether a try is under way.
func (p *slot) opening() bool {
	if p.attempt == nil {
		return false
	}
	select {
	case <-p.attempt.done:
		return false
	default:
		return true
	}
}

// obtain returns the slot's link, opening it when there is none. The try goes on
// when the caller no longer waits: somebody else may.
func (s *Server) obtain(ctx context.Context, p *slot, open func(context.Context) (*Link, error)) (*Link, error) {
	s.mu.Lock()
	if l := p.present(); l != nil {
		s.mu.Unlock()
		return l, nil
	}
	if !p.opening() {
		a := &attempt{done: make(chan struct{})}
		p.attempt = a
		go func() {
			link, err := open(s.ctx)
			s.mu.Lock()
			dropped := p.dropped
			if a.link, a.err = link, err; dropped && err == nil {
				a.link, a.err = nil, ErrBroken
			}
			close(a.done)
			s.mu.Unlock()
			if dropped && link != nil {
				link.Close()
			}
		}()
	}
	a := p.attempt
	s.mu.Unlock()
	select {
	case <-a.done:
		if a.err != nil {
			return nil, s.unreachable(a.err)
		}
		return a.link, nil
	case <-ctx.Done():
		return nil, mcpproxy.Errorf(mcpproxy.CodeTimeout, context.Cause(ctx), "server %q is still connecting", s.spec.Name)
	}
}

// maxLinks bounds the links of their own that one server's clients may hold;
// beyond it the one longest unused is closed.
const maxLinks = 64

// slot is the place for key; making one more than allowed frees the place that
// nobody has used for the longest time, and whose link nobody waits on. Its owner gets
// a new link when it comes back.
func (s *Server) slot(key string) (*slot, error) {
	s.mu.Lock()
	place := s.links[key]
	oldest := ""
	if place == nil {
		if len(s.links) >= maxLinks {
			for k, p := range s.links {
				if !p.busy() && (oldest == "" || p.used.Before(s.links[oldest].used)) {
					oldest = k
				}
			}
			if oldest == "" {
				s.mu.Unlock()
				return nil, mcpproxy.Errorf(mcpproxy.CodeRateLimit, nil, "server %q serves %d clients at once already", s.Name(), maxLinks).
					Later("try again when others are done")
			}
		}
		place = &slot{}
		s.links[key] = place
	}
	place.used = time.Now()
	s.mu.Unlock()
	if oldest != "" {
		s.Drop(oldest)
	}
	return place, nil
}
