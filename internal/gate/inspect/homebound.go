package inspect

import (
	"slices"

	"mcpproxy"
)

// destinations returns the destinations of the call, and marks those that belong to the user's own organisation.
func (p *traced) destinations() []mcpproxy.Destination {
	out := slices.Clone(p.lineage.Destinations)
	for i := range out {
		out[i].Home = p.isHome(out[i])
	}
	return out
}
