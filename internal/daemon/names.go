package daemon

import (
	"log/slog"
	"maps"
	"slices"

	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
	"mcpproxy/internal/trust"
)

// declaredTools returns the names of the tools that servers declare, by server, whether agents may
// see them or not. It omits servers that have not been read or have no tools.
func (u *upstreams) declaredTools(server string) map[string][]string {
	tools := map[string][]string{}
	for _, i := range u.trust().Items(server) {
		if i.Kind == trust.Tool && i.Listed && u.trust().Read(i.Server) {
			tools[i.Server] = append(tools[i.Server], i.Name)
		}
	}
	return tools
}

// warnUnmatched logs the overrides that match no tool of a server, or of all read servers if server
// is empty.
func (u *upstreams) warnUnmatched(c *config.Config, server string) {
	for _, said := range c.UnmatchedOverrides(u.declaredTools(server)) {
		slog.Error("an override matches nothing: " + said)
	}
}

// sharedNames returns the names that tools of several servers have.
func sharedNames(tools map[string][]string) []api.SharedName {
	owners := map[string][]string{}
	for _, server := range slices.Sorted(maps.Keys(tools)) {
		for _, tool := range tools[server] {
			owners[tool] = append(owners[tool], server)
		}
	}
	var out []api.SharedName
	for _, tool := range slices.Sorted(maps.Keys(owners)) {
		if len(owners[tool]) > 1 {
			out = append(out, api.SharedName{Name: tool, Servers: owners[tool]})
		}
	}
	return out
}
