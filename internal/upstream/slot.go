package upstream

import (
	"context"
	"time"

	"mcpproxy"
)

// slot holds one link. Its fields are guarded by Server.mu.
type slot struct {
	attempt *attempt // the last attempt to open it; nil before the first
	used    time.Time
	users   int         // callers that use the link or wait for it
	dropped bool        // the link is no longer wanted
	idle    *time.Timer // drops an idle link; nil for a session's link
}

// busy reports whether a link is being opened or used, or whether a caller waits for an answer on
// it. The caller holds the server's lock.
func (p *slot) busy() bool {
	return p.users > 0 || p.opening() || p.present() != nil && p.present().waiting() > 0
}

// attempt is one attempt to open a link. All callers that want the link wait for the same attempt,
// each with its own time limit.
type attempt struct {
	giveUp  context.CancelFunc
	reopens int           // value of Server.reopens when the attempt began
	done    chan struct{} // closed when link and err are set
	link    *Link
	err     error
}

// present returns the slot's link if it is usable, or nil.
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

// opening reports whether an attempt is in progress.
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

// obtain returns the slot's link and opens one if necessary. The attempt continues after the caller
// stops waiting, because others may be waiting too. An attempt that Reopen has ended is followed by
// another one: the caller has sent nothing yet.
func (s *Server) obtain(ctx context.Context, p *slot, open func(context.Context) (*Link, error)) (*Link, error) {
	for {
		a, link := s.attemptAt(p, open)
		if link != nil {
			return link, nil
		}
		select {
		case <-a.done:
			if a.err == nil {
				return a.link, nil
			}
			if s.reopenedSince(a, p) && ctx.Err() == nil {
				continue
			}
			return nil, s.unreachable(a.err)
		case <-ctx.Done():
			return nil, mcpproxy.Errorf(
				mcpproxy.CodeTimeout,
				context.Cause(ctx),
				"server %q is still connecting",
				s.spec.Name,
			)
		}
	}
}

// attemptAt returns the slot's link if it is usable. Otherwise it returns the attempt in progress to
// open one, or starts an attempt.
func (s *Server) attemptAt(p *slot, open func(context.Context) (*Link, error)) (*attempt, *Link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := p.present(); l != nil {
		return nil, l
	}
	if p.opening() {
		return p.attempt, nil
	}
	opening, giveUp := context.WithCancel(s.ctx)
	a := &attempt{giveUp: giveUp, reopens: s.reopens, done: make(chan struct{})}
	p.attempt = a
	started := s.tasks.start(func() {
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
	})
	if !started { // the server has ended
		giveUp()
		a.err = ErrBroken
		close(a.done)
	}
	return a, nil
}

// reopenedSince reports whether Reopen was called after the attempt had begun, for a slot and a
// server that are still in use.
func (s *Server) reopenedSince(a *attempt, p *slot) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reopens != a.reopens && !p.dropped && s.ctx.Err() == nil
}
