package gateway

import (
	"cmp"
	"time"

	"mcpproxy/internal/flow"
	"mcpproxy/internal/wire"
)

// flowSession is the session in which the caller's data is followed.
func (c *caller) flowSession() string { return cmp.Or(c.flow, c.ownSession()) }

// ownSession is the flow session that the connection itself speaks for: the
// protocol session, or in the stateless era, where nothing that a client sends
// may choose it freely, the principal at this endpoint. The optional header can
// only part that further, and secrets are followed across all of a principal's
// sessions anyway.
func (c *caller) ownSession() string {
	if c.session != nil {
		return "mcp:" + c.principal + ":" + c.session.id
	}
	key := "mcp:" + c.principal + ":" + c.endpoint
	if name := c.sessionName(); name != "" {
		key += ":" + name
	}
	return key
}

// sessionName is the name that the client's configuration gives its session. The
// stdio bridge sends the session id that an agent's hooks report under.
func (c *caller) sessionName() string {
	name := c.header.Get("X-Mcpproxy-Session")
	return name[:min(len(name), 128)]
}

// followed is c with the flow session that a message belongs to: a call that a
// hook has told of belongs to the hook's session. Agents say which one it is in
// _meta, Claude Code by the id of the tool call, Codex by that and its session.
// From afar the bearer of a token must know the id of the call itself: a session's
// name or equal arguments would let it into a session of somebody else.
func (g *Gateway) followed(c *caller, m *wire.Message) *caller {
	claim := flow.Claim{Session: c.ownSession(), Lasting: c.session != nil}
	claim.ToolCall = cmp.Or(
		wire.String(m.Params, "_meta", "claudecode/toolUseId"),
		wire.String(m.Params, "_meta", "callId"),
	)
	if c.near {
		claim.Hook = cmp.Or(wire.String(m.Params, "_meta", "sessionId"), c.sessionName())
	}
	if m.Method == "tools/call" && (c.near || claim.ToolCall != "") {
		claim.Tool, claim.Arguments = wire.String(m.Params, "name"), wire.Member(m.Params, "arguments")
	}
	found := g.correlator.Find(claim, time.Now())
	c.flow, c.evaluation = found.Session, found.Activity
	return c
}
