package policy

import (
	"fmt"

	"mcpproxy"
)

// Groups say which strict group a server belongs to: data must not move from one
// to another. Servers of open groups and of none are not in it.
type Groups map[string]string

// Wall reports what a strict group keeps from a server: whether data of another must
// not reach it. It is nil for a server outside of every strict group.
func (g Groups) Wall(server string) func(from string) bool {
	to := g[server]
	if to == "" {
		return nil
	}
	return func(from string) bool { return g[from] != "" && g[from] != to }
}

// wall is the answer to data moving between two strict groups. On which side of
// the trust boundary they stand does not matter.
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
