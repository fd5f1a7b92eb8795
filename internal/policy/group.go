package policy

import (
	"fmt"

	"mcpproxy"
)

// Groups maps each server to its strict group. Data must not move from one strict group to another. Servers of open
// groups and servers without a group are not in the map.
type Groups map[string]string

// Wall returns a function that reports whether data of another server must not reach this server. It returns nil if
// the server belongs to no strict group.
func (g Groups) Wall(server string) func(from string) bool {
	to := g[server]
	if to == "" {
		return nil
	}
	return func(from string) bool { return g[from] != "" && g[from] != to }
}

// wall decides about data that moves between two strict groups. The sides of the servers do not matter.
func (g Groups) wall(f Facts) (Ruling, bool) {
	walled := g.Wall(f.Call.Server)
	if walled == nil {
		return Ruling{}, false
	}
	for _, e := range f.Edges {
		if walled(e.From.Server) {
			from, to := g[e.From.Server], g[f.Call.Server]
			return Ruling{mcpproxy.Deny, mcpproxy.GroupRule + from,
				fmt.Sprintf("%s: data of %s must not move to %s: the groups %s and %s are strict.",
					mcpproxy.CodeGroupDenied, e.From.Server, f.Call.Server, from, to)}, true
		}
	}
	return Ruling{}, false
}
