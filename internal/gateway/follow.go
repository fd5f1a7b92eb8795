package gateway

import (
	"cmp"
	"time"

	"mcpproxy/internal/flow"
	"mcpproxy/internal/wire"
)

// flowSession returns the session in which the caller's data is tracked.
func (c *caller) flowSession() string { return cmp.Or(c.flow, c.ownSession()) }

// ownSession returns the flow session that follows from the connection itself. It is the protocol
// session. In the stateless era it is the principal at this endpoint, because a client could choose
// any other value freely. The optional header can only split that session further. Secrets are
// tracked across all sessions of a principal anyway.
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

// sessionName returns the session name from the client's configuration. The stdio bridge sends the
// session id that the agent's hooks report.
func (c *caller) sessionName() string {
	name := c.header.Get("X-Mcpproxy-Session")
	return name[:min(len(name), 128)]
}

// followed returns c with the flow session that a message belongs to. A call that a hook has
// announced belongs to the hook's session. Agents identify the call in _meta: Claude Code by the
// tool call's id, Codex by that id and its session. A remote token holder must know the id of the
// call itself. A session name or equal arguments are not enough, because they would admit the
// caller to another user's session.
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
