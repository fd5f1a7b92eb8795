package hook

import (
	"strings"
	"unicode/utf8"
)

// doubled splits mcp__server__tool, the form of Claude Code and the agents that follow it.
func doubled(tool string, p payload, servers []string) (string, string) {
	rest, ok := strings.CutPrefix(tool, "mcp__")
	if !ok {
		return "", tool
	}
	if named := p.in("mcp_server").text("name"); named != "" {
		if server, name, ok := cutServer(rest, "__", []string{named}); ok {
			return server, name
		}
	}
	if server, name, ok := cutServer(rest, "__", servers); ok {
		return server, name
	}
	server, name, ok := strings.Cut(rest, "__")
	if !ok || server == "" || name == "" {
		return "", tool
	}
	return server, name
}

// cutServer removes the longest matching server name from the start of tool. In tool names, agents
// replace all characters of server names except letters, digits, dashes and underscores by
// underscores. cutServer returns the server's original name.
func cutServer(tool, separator string, servers []string) (server, rest string, ok bool) {
	for _, s := range servers {
		for _, spelt := range []string{s, spelling(s)} {
			after, found := strings.CutPrefix(tool, spelt+separator)
			if found && spelt != "" && after != "" && len(s) > len(server) {
				server = s
				rest = after
				ok = true
			}
		}
	}
	return server, rest, ok
}

// spelling returns a server's name as it appears in tool names.
func spelling(server string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, r > 'z':
			return '_'
		case r >= 'a', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, server)
}
