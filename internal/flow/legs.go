package flow

import (
	"slices"

	"mcpproxy"
	"mcpproxy/internal/text"
)

// sends reports whether a call sends data out if it is made: its purpose is to send, or it reads from outside with
// internal data in its arguments.
func (p Transfer) sends(edges []mcpproxy.Edge) bool {
	return p.Class.Sends(p.Operation) ||
		slices.ContainsFunc(edges, func(e mcpproxy.Edge) bool { return e.Type == mcpproxy.InternalToExternal })
}

// Sent records that a call is made that, according to Check, sends data. This is the third leg of its session. Callers
// do not call Sent for a call that was stopped.
func (t *Tracker) Sent(c *mcpproxy.Call) {
	if t.limits.Load().Enabled {
		t.with(c.FlowSession, func(s *Session) { begin(&s.legs.Sent, c) })
	}
}

// received sets the legs of the session according to the result of a call. An instruction to the agent counts as
// written by outsiders, whichever result contains it. The answer to a write counts as content only if something is
// found in it.
func (s *Session) received(p Transfer) {
	receipt := p.Operation == mcpproxy.Write || p.Operation == mcpproxy.Destructive
	if p.Class.ReturnsUntrusted && !receipt || p.Injected {
		begin(&s.legs.Untrusted, p.Call)
	}
	if p.Injected {
		begin(&s.legs.Injected, p.Call)
	}
	if p.private() && (!receipt || beyondGuess(p.Secrets)) {
		begin(&s.legs.Private, p.Call)
	}
	if p.private() && beyondGuess(p.Secrets) || p.credentials() {
		begin(&s.legs.Sensitive, p.Call)
	}
}

// credentials reports whether the result belongs to a call that read credentials and whose server is not external.
func (p Transfer) credentials() bool { return p.Credentials && p.Class.Side != mcpproxy.External }

// private reports whether the result is not empty and its server is not external.
func (p Transfer) private() bool {
	return p.Class.Side != mcpproxy.External &&
		slices.ContainsFunc(
			p.Doc.Parts,
			func(part text.Part) bool { return part.Kind == text.Value && part.Text != "" },
		)
}

// Legs returns the legs of a session.
func (t *Tracker) Legs(session string) (l mcpproxy.Legs) {
	t.with(session, func(s *Session) { l = s.legs })
	return l
}

// begin sets a leg unless it is already set.
func begin(leg **mcpproxy.Leg, c *mcpproxy.Call) {
	if *leg == nil {
		*leg = &mcpproxy.Leg{CallID: c.ID, Name: legName(c), Time: c.Received}
	}
}

// legName returns the tool of a leg. It leaves out the address of a resource, which can contain a secret.
func legName(c *mcpproxy.Call) string {
	if c.Server != "" && c.Kind != mcpproxy.KindTool && c.Kind != "" {
		return c.Server
	}
	return c.Name()
}
