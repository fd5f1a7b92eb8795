package gate

import (
	"mcpproxy"
)

// Permits reports whether a call like c is within the scope of its principal, as far as that is known without
// arguments. It is used to filter lists; each call is decided about again with its arguments.
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

// PermitsOperation reports whether a principal with these grants may make any call with the operation op.
func (g *Gate) PermitsOperation(principal string, grants []string, op mcpproxy.Operation) bool {
	s := g.settings.Load()
	return s.Operation == nil || s.Operation(principal, grants, op)
}

// outside says why a call with the operation op is outside the scope of its principal. An agent's own tools, which
// hooks report, belong to no server, so no scope applies to them.
func (s *Settings) outside(c *mcpproxy.Call, op mcpproxy.Operation) string {
	if s.Scope == nil || c.Channel == mcpproxy.ChannelHook {
		return ""
	}
	return s.Scope(c, op)
}
