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
	users   int         // who have the link, or wait for it, and have not released it
	dropped bool        // nobody wants its link any more
	idle    *time.Timer // drops it when it was unused for long; nil for a session's
}

// busy reports whether a link is being opened or in use, or somebody waits for an answer on
// it. The server's lock is held.
func (p *slot) busy() bool {
	return p.users > 0 || p.opening() || p.present() != nil && p.present().waiting() > 0
}

// attempt is one try to open a link. Whoever wants the link waits for the same
// try, each for as long as it likes.
type attempt struct {
	giveUp context.CancelFunc
	done   chan struct{} // closed when link and err are set
	link   *Link
	err    error
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
		opening, giveUp := context.WithCancel(s.ctx)
		a := &attempt{giveUp: giveUp, done: make(chan struct{})}
		p.attempt = a
		go func() {
			defer giveUp()
			link, err := open(opening)
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
		return nil, mcpproxy.Errorf(
			mcpproxy.CodeTimeout,
			context.Cause(ctx),
			"server %q is still connecting",
			s.spec.Name,
		)
	}
}
