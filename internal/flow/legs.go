package flow

import (
	"slices"

	"mcpproxy"
	"mcpproxy/internal/text"
)

// sends reports whether a call begins the third leg if it goes out: when it sends, or
// when it merely reads from outside and tells internal data in doing so.
func (p Transfer) sends(edges []mcpproxy.Edge) bool {
	return p.Class.Sends(p.Operation) ||
		slices.ContainsFunc(edges, func(e mcpproxy.Edge) bool { return e.Type == mcpproxy.InternalToExternal })
}

// Sent notes that a call goes out of which Check has said that it sends: this is the
// third leg of its session. A call that was stopped does not count.
func (t *Tracker) Sent(c *mcpproxy.Call) {
	if t.limits.Load().Enabled {
		t.with(c.FlowSession, func(s *Session) { begin(&s.legs.Sent, c) })
	}
}

// received notes what the result of a call brought. An instruction to the agent
// is a stranger's, wherever it was found. What answers a write is a receipt, and
// no content, unless something is found in it.
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

// credentials reports whether the passage answers a call that read credentials on the inside.
func (p Transfer) credentials() bool { return p.Credentials && p.Class.Side != mcpproxy.External }

// private reports whether the passage is a result from inside that says
// something.
func (p Transfer) private() bool {
	return p.Class.Side != mcpproxy.External &&
		slices.ContainsFunc(
			p.Doc.Parts,
			func(part text.Part) bool { return part.Kind == text.Value && part.Text != "" },
		)
}

// Legs are what a session has met so far.
func (t *Tracker) Legs(session string) (l mcpproxy.Legs) {
	t.with(session, func(s *Session) { l = s.legs })
	return l
}

// begin sets a leg that has not begun.
func begin(leg **mcpproxy.Leg, c *mcpproxy.Call) {
	if *leg == nil {
		*leg = &mcpproxy.Leg{CallID: c.ID, Name: legName(c), Time: c.Received}
	}
}

// legName is what called for a leg, without the address of a resource, which may
// hold a secret.
func legName(c *mcpproxy.Call) string {
	if c.Server != "" && c.Kind != mcpproxy.KindTool && c.Kind != "" {
		return c.Server
	}
	return c.Name()
}
