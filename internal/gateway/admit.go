package gateway

import (
	"fmt"
	"net/http"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/door"
	"mcpproxy/internal/token"
	"mcpproxy/internal/upstream"
)

// UseDoor makes d decide who may use the MCP endpoints. It must be called before
// requests are served.
func (g *Gateway) UseDoor(d *door.Door) { g.door = d }

// admit says who a request is from, or answers it. What an endpoint of its own
// tells is never for everybody, whether or not MCP needs a key.
func (g *Gateway) admit(w http.ResponseWriter, r *http.Request) (door.Identity, bool) {
	o := g.options.Load()
	path := strings.TrimSuffix(r.URL.Path, "/")
	book, private := g.books[path]
	id, refusal := g.door.Admit(r, Trusted(r), !o.RequireAuth && !private)
	switch {
	case refusal != nil:
		refusal.Header(w.Header())
		refuse(w, refusal.Status, refusal.Message)
	case private && !book.mayRead(id):
		refuse(w, http.StatusForbidden, "this endpoint is for the owner's key and for auditors' tokens")
	case !private && id.Role == token.Auditor:
		refuse(w, http.StatusForbidden, "an auditor's token calls no tools: it opens /mcp/audit, and reads the REST API")
	default:
		return id, true
	}
	return id, false
}

// Expel ends the sessions of a principal whose token was revoked. His open requests
// are the door's to end ([door.Door.Expel]), before this.
func (g *Gateway) Expel(principal string) {
	g.mu.Lock()
	var sessions []*session
	for _, s := range g.sessions {
		if s.principal == principal {
			sessions = append(sessions, s)
		}
	}
	for token, s := range g.suspended { // after the visits, whose requests wait here no more
		if s.principal == principal {
			delete(g.suspended, token)
			s.cancel()
		}
	}
	g.mu.Unlock()
	for _, s := range sessions {
		g.endSession(s)
	}
}

// permits reports whether a caller may use something of a server, so that lists
// show it.
func (g *Gateway) permits(c *caller, server string, kind mcpproxy.Kind, name string, def *mcpproxy.Tool) bool {
	return c.principal == door.Owner || g.gate.Permits(&mcpproxy.Call{Channel: mcpproxy.ChannelMCP, Kind: kind,
		Principal: c.principal, Server: server, Tool: name, Definition: def})
}

// permitted are the tools that a caller may use.
func (g *Gateway) permitted(c *caller, tools []*mcpproxy.Tool) []*mcpproxy.Tool {
	if c.principal == door.Owner {
		return tools
	}
	out := make([]*mcpproxy.Tool, 0, len(tools))
	for _, t := range tools {
		if g.permits(c, t.Server, mcpproxy.KindTool, t.Name, t) {
			out = append(out, t)
		}
	}
	return out
}

// search is the catalogue's for a caller: the best of what he may use.
func (g *Gateway) search(c *caller, query string, limit int) []catalog.Hit {
	if c.principal == door.Owner {
		return g.catalog.Search(query, limit)
	}
	out := []catalog.Hit{}
	for _, h := range g.catalog.Search(query, len(g.catalog.All())) {
		if len(out) == limit {
			break
		}
		if g.permits(c, h.Tool.Server, mcpproxy.KindTool, h.Tool.Name, h.Tool) {
			out = append(out, h)
		}
	}
	return out
}

// nearest is the tool that a caller probably meant; "" when he may not use it.
func (g *Gateway) nearest(c *caller, name string) string {
	near := g.catalog.Nearest(name)
	server, tool, _ := strings.Cut(near, ":")
	def, _ := g.catalog.Tool(server, tool)
	if near == "" || !g.permits(c, server, mcpproxy.KindTool, tool, def) {
		return ""
	}
	return near
}

// absent says of a tool that is not listed that its server is, and cannot be asked
// which tools it has; "" when that is not so, or the caller may not know.
func (g *Gateway) absent(c *caller, server, tool string) string {
	s, ok := g.servers.Get(server)
	if !ok || !g.permits(c, server, mcpproxy.KindTool, tool, nil) {
		return ""
	}
	switch status := s.Status(); {
	case status.Login != "":
		return fmt.Sprintf("The server %q wants a login first; the user can run: %s", server, status.Login)
	case status.State == upstream.Connecting:
		return fmt.Sprintf("The server %q is still starting; try again in a few seconds.", server)
	case status.State == upstream.Failed:
		return fmt.Sprintf("The server %q cannot be reached, and is tried again; the user can run: mcpproxy upstream list", server)
	}
	return ""
}
