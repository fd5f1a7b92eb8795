package classify

import (
	"mcpproxy"
	"mcpproxy/internal/locate"
)

// Classifier classifies servers and tools. It holds the parts of the configuration that decide this.
type Classifier struct {
	DefaultUnknown  mcpproxy.Side            // the side of servers that no rule matches
	ServerOverrides map[string]mcpproxy.Side // by server name
	ToolOverrides   map[string]mcpproxy.Side // by "server:tool", or an agent tool's name
	InternalDomains locate.Domains           // domains whose hosts are internal
}

// Tool classifies one tool of a server. A nil def means that the server has not described the tool.
func (c *Classifier) Tool(server, tool string, def *mcpproxy.Tool) mcpproxy.Class {
	return c.Class(server, tool, subject(tool, def))
}

// Class returns the class that [Classifier.Tool] gives to a described tool.
func (c *Classifier) Class(server, tool string, s *Subject) mcpproxy.Class {
	if side, ok := c.ToolOverrides[server+":"+tool]; ok {
		return class(side, 1, mcpproxy.ByConfig)
	}
	base := c.Server(server)
	if base.Method == mcpproxy.ByConfig {
		return base
	}
	op, r := s.operation, s.reach
	switch base.Side {
	case mcpproxy.Internal:
		if r.sends && appointments(server) {
			return class(mcpproxy.External, 0.7, mcpproxy.ByHeuristic) // guests are notified
		}
	case mcpproxy.External:
		if mailbox(server) && op == mcpproxy.Read {
			// The mail in a mailbox is private, but outsiders wrote it.
			k := class(mcpproxy.Internal, 0.7, mcpproxy.ByHeuristic)
			k.ReturnsUntrusted = true
			return k
		}
	case mcpproxy.Unknown:
		if r.sends || r.fetches {
			return class(mcpproxy.External, 0.7, mcpproxy.ByHeuristic)
		}
		if r.open && op != mcpproxy.Read {
			return class(mcpproxy.External, 0.6, mcpproxy.ByAnnotation)
		}
	}
	base = c.known(base)
	base.CanExfiltrate = base.CanExfiltrate || r.sends || r.fetches || r.exposes
	base.ReturnsUntrusted = base.ReturnsUntrusted || r.fetches || r.strangers || r.open ||
		op == mcpproxy.Read && appointments(server)
	return base
}

// known replaces an unknown side with the configured default and sets Unknown.
func (c *Classifier) known(k mcpproxy.Class) mcpproxy.Class {
	if k.Side != mcpproxy.Unknown {
		return k
	}
	side := c.DefaultUnknown
	if side == "" {
		side = mcpproxy.Internal
	}
	d := class(side, 0.3, k.Method)
	d.Unknown = true
	return d
}

// Words for servers that are internal when a tool reads and external when it writes.
var (
	mailboxes = words("email mail gmail outlook imap")
	calendars = words("calendar calendars")
)

// mailbox reports whether a server holds people's messages.
func mailbox(server string) bool { return mailboxes.in(Tokens(server)) }

// appointments reports whether a server holds a calendar, which is private until an appointment has guests.
func appointments(server string) bool { return calendars.in(Tokens(server)) }
