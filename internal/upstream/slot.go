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
	giveUp context.CancelFunc
	done   chan struct{} // closed when link and err are set
	link   *Link
	err    error
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
// stops waiting, because others may be waiting too.
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
