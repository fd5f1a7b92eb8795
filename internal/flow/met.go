package flow

import "mcpproxy"

// Legs are what a session has met so far.
func (t *Tracker) Legs(session string) (l mcpproxy.Legs) {
	t.with(session, func(s *Session) { l = s.legs })
	return l
}
