package upstream

import "context"

// CloseIdleConnections lets the shared pool go, so that nothing of it is taken
// for a leak.
func CloseIdleConnections() { httpTransport.CloseIdleConnections() }

// SharedLink returns the shared link even while the breaker is open.
func (s *Server) SharedLink(ctx context.Context) (*Link, error) { return s.sharedLink(ctx) }

// GuardOnly returns what a call passes before and after it is sent.
func GuardOnly(l Limits) func(context.Context) error {
	g := newGuard("bench", l, func(BreakerState) {})
	return func(ctx context.Context) error {
		if err := g.enter(ctx); err != nil {
			return err
		}
		defer g.leave()
		done, err := g.breaker.allow()
		if err == nil && !g.breaker.recovering() {
			done(nil)
		}
		return err
	}
}

// Binary counts the Base64 in a result.
func Binary(result []byte) int { return binary(result) }
