package policy

import (
	"fmt"

	"mcpproxy"
)

// Groups say which strict group a server belongs to: data must not move from one
// to another. Servers of open groups and of none are not in it.
type Groups map[string]string

// wall is the answer to data moving between two strict groups. On which side of
// the trust boundary they stand does not matter.
func (g Groups) wall(f Facts) (Ruling, bool) {
	to := g[f.Call.Server]
	if to == "" {
		return Ruling{}, false
	}
	for _, e := range f.Edges {
		if from := g[e.From.Server]; from != "" && from != to {
			return Ruling{mcpproxy.Deny, mcpproxy.GroupRule + from,
				fmt.Sprintf("%s: data of %s must not move to %s: the groups %s and %s are strict.",
					mcpproxy.CodeGroupDenied, e.From.Server, f.Call.Server, from, to)}, true
		}
	}
	return Ruling{}, false
}
