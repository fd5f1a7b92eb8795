package doctor

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
	"mcpproxy/internal/remote"
	"mcpproxy/internal/upstream"
)

// checkNames compares the names of tools: with the overrides of the configuration, one of which
// may match nothing, and with each other.
func (f *Checkup) checkNames(ctx context.Context, client *remote.Client, c *config.Config, servers []upstream.Status) {
	tools := map[string][]string{}
	for _, s := range servers {
		var all []api.Tool
		if s.State != upstream.Ready ||
			client.Get(ctx, "/api/v1/servers/"+url.PathEscape(s.Name)+"/tools", nil, &all) != nil || len(all) == 0 {
			continue // what it declares is not known
		}
		for _, t := range all {
			if t.Trust == nil || t.Trust.Kind == "tool" {
				tools[s.Name] = append(tools[s.Name], t.Name)
			}
		}
	}
	for _, said := range c.UnmatchedOverrides(tools) {
		key, detail, _ := strings.Cut(said, ": ")
		f.add(Check{
			Section: "Configuration",
			Name:    "overrides",
			Detail:  detail,
			Advice:  "mend the name, or take the override out",
			Key:     key,
		})
	}
	shared := sharedNames(tools)
	f.advise(len(shared) > 0, Check{
		Section: "Servers",
		Name:    "names",
		Detail:  "tools of one name on several servers: " + strings.Join(shared, "; "),
		Advice:  "agents tell them apart by the server's name, which stands before it; leave out what you do not need",
	})
}

// maxShared bounds the names that are listed.
const maxShared = 10

// sharedNames are the names that tools of several servers have, with those servers.
func sharedNames(tools map[string][]string) []string {
	owners := map[string][]string{}
	for _, server := range slices.Sorted(maps.Keys(tools)) {
		for _, tool := range tools[server] {
			owners[tool] = append(owners[tool], server)
		}
	}
	var out []string
	for _, tool := range slices.Sorted(maps.Keys(owners)) {
		if len(owners[tool]) < 2 {
			continue
		}
		if len(out) == maxShared {
			return append(out, "and more")
		}
		out = append(out, fmt.Sprintf("%+q (%s)", tool, strings.Join(owners[tool], ", ")))
	}
	return out
}
