package gate

import (
	"mcpproxy"
)

// Permits reports whether a call like c is within what its principal may use, as
// far as that can be told without arguments. Lists are made with it; each call is
// decided anew, when it is known what it says.
func (g *Gate) Permits(c *mcpproxy.Call) bool {
	s := g.settings.Load()
	if s.Scope == nil {
		return true
	}
	op := mcpproxy.Read
	if c.Kind == mcpproxy.KindTool {
		_, op = s.inspector.Class(c.Server, c.Tool, c.Definition)
	}
	return s.Scope(c, op) == ""
}

// PermitsOperation reports whether a principal with these grants may make any calls that do op.
func (g *Gate) PermitsOperation(principal string, grants []string, op mcpproxy.Operation) bool {
	s := g.settings.Load()
	return s.Operation == nil || s.Operation(principal, grants, op)
}

// outside says why a call that does op is outside what its principal may use. An
// agent's own tools, of which hooks tell, belong to no server, and so to no token.
func (s *Settings) outside(c *mcpproxy.Call, op mcpproxy.Operation) string {
	if s.Scope == nil || c.Channel == mcpproxy.ChannelHook {
		return ""
	}
	return s.Scope(c, op)
}
