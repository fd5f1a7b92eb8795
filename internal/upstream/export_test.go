package upstream

import "context"

// CloseIdleConnections closes the idle connections of the shared pool, so that the leak check does not report them.
func CloseIdleConnections() { httpTransport.CloseIdleConnections() }

// SharedLink returns the shared link even while the breaker is open.
func (s *Server) SharedLink(ctx context.Context) (*Link, error) { return s.sharedLink(ctx) }

// GuardOnly returns a function that does what the guard does before and after a call, without sending one.
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

// Binary returns the number of Base64 characters in a result.
func Binary(result []byte) int { return binary(result) }
