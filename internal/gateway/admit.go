package gateway

import (
	"fmt"
	"net/http"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/auth"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/peer"
	"mcpproxy/internal/token"
	"mcpproxy/internal/upstream"
)

// UseAuth sets the authenticator of the MCP endpoints. It must be called before requests are
// served.
func (g *Gateway) UseAuth(a *auth.Authenticator) { g.auth = a }

// UsePeers makes g refuse requests from processes that an agent's tool or a server has started. It
// must be called before requests are served.
func (g *Gateway) UsePeers(p *peer.Registry) { g.peers = p }

// admit returns the sender of a request, or answers the request with a refusal. The audit endpoint
// always requires a key, even if MCP requires none.
func (g *Gateway) admit(w http.ResponseWriter, r *http.Request) (auth.Identity, bool) {
	o := g.options.Load()
	path := strings.TrimSuffix(r.URL.Path, "/")
	audit, private := g.audits[path]
	id, refusal := g.auth.Admit(r, Trusted(r), !o.RequireAuth && !private)
	forbidden := func(message string) *auth.Refusal {
		return &auth.Refusal{Status: http.StatusForbidden, Message: message, Principal: id.Principal}
	}
	switch {
	case refusal != nil:
	case private && !audit.mayRead(id):
		refusal = forbidden("this endpoint is for the owner's key and for auditors' tokens")
	case !private && id.Role == token.Auditor:
		refusal = forbidden("an auditor's token calls no tools: it opens /mcp/audit, and reads the REST API")
	}
	if refusal != nil {
		g.turnAway(w, r, refusal)
	}
	return id, refusal == nil
}

// turnAway answers a request that is refused because of its sender.
func (g *Gateway) turnAway(w http.ResponseWriter, r *http.Request, refusal *auth.Refusal) {
	g.auth.Refused(r, refusal)
	refusal.Header(w.Header())
	refuse(w, refusal.Status, refusal.Message)
}

// Expel ends the sessions of a principal whose token was revoked. Call
// [auth.Authenticator.EndRequests] before it to end the principal's open requests.
func (g *Gateway) Expel(principal string) {
	g.mu.Lock()
	var sessions []*session
	for _, s := range g.sessions {
		if s.principal == principal {
			sessions = append(sessions, s)
		}
	}
	for token, s := range g.suspended { // after EndRequests: requests can no longer be waiting here
		if s.principal == principal {
			delete(g.suspended, token)
			s.cancel()
		}
	}
	g.mu.Unlock()
	for _, s := range sessions {
		g.endSession(s)
	}
	g.servers.EndPrincipal(principal)
}

// permits reports whether a caller may use a server or a part of it. Lists contain only what the caller may use.
func (g *Gateway) permits(c *caller, server string, kind mcpproxy.Kind, name string, def *mcpproxy.Tool) bool {
	return c.principal == auth.Owner || g.gate.Permits(&mcpproxy.Call{
		Channel:    mcpproxy.ChannelMCP,
		Kind:       kind,
		Principal:  c.principal,
		Grants:     c.grants,
		Server:     server,
		Tool:       name,
		Definition: def,
	})
}

// permitted returns the tools that a caller may use.
func (g *Gateway) permitted(c *caller, tools []*mcpproxy.Tool) []*mcpproxy.Tool {
	if c.principal == auth.Owner {
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

// search returns the best matches among the tools that the caller may use.
func (g *Gateway) search(c *caller, query string, limit int) []catalog.Hit {
	if c.principal == auth.Owner {
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

// nearest returns the tool that a caller probably meant, or "" if the caller may not use it.
func (g *Gateway) nearest(c *caller, name string) string {
	near := g.catalog.Nearest(name)
	server, tool, _ := strings.Cut(near, ":")
	def, _ := g.catalog.Tool(server, tool)
	if near == "" || !g.permits(c, server, mcpproxy.KindTool, tool, def) {
		return ""
	}
	return near
}

// absent explains that a missing tool's server exists but cannot be asked for its tools. It returns
// "" if that is not the case or if the caller may not know the server.
func (g *Gateway) absent(c *caller, server, tool string) string {
	s, ok := g.servers.Get(server)
	if !ok || !g.permits(c, server, mcpproxy.KindTool, tool, nil) {
		return ""
	}
	switch status := s.Status(); {
	case status.Login != "":
		return fmt.Sprintf("The server %q needs a login first; the user can run: %s", server, status.Login)
	case status.State == upstream.Connecting:
		return fmt.Sprintf("The server %q is still starting; try again in a few seconds.", server)
	case status.State == upstream.Failed:
		return fmt.Sprintf(
			"The server %q cannot be reached; mcpproxy keeps trying. The user can run: mcpproxy upstream list",
			server,
		)
	}
	return ""
}
