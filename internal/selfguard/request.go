package selfguard

import (
	"cmp"
	"net/url"
	"strings"

	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/locate"
)

// deciding matches requests that change what agents may do, that imitate an agent's hook, or that
// call servers without passing the hook.
var deciding = lazyregexp.New(
	`/api/v1/(?:approvals\b|home\b|kill\b|tokens\b|login\b|hooks/evaluate\b|code/run\b|probe/run\b|servers/[^/\s]+/(?:quarantine|unquarantine|restart|tools/(?:approve|block))\b)|/orchestrator/run_tests\b|:\d+/mcp\b|(?:POST|GET|DELETE) /mcp\b`,
)

// Deciding returns the first request in a text, to the REST API or an MCP endpoint, that
// agents may not make; "" if there is none.
func Deciding(request string) string {
	return cmp.Or(deciding().FindString(request), deciding().FindString(locate.Served(request)))
}

// named reports whether a request's text names the port of the REST API.
func (g *Guard) named(request string) bool {
	for rest := request; g.port != ""; {
		before, after, ok := strings.Cut(rest, g.port)
		if !ok {
			return false
		}
		if !digit(before, len(before)-1) && !digit(after, 0) {
			return true
		}
		rest = after
	}
	return false
}

func digit(s string, i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }

// addressed reports whether a text is an address at the port of the REST API on this
// machine.
func (g *Guard) addressed(s string) bool {
	if !g.named(s) {
		return false
	}
	u, err := url.Parse(strings.TrimSpace(s))
	return err == nil && u.Port() == g.port && locate.Domains(nil).Host(u.Hostname())
}
