package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpproxy/internal/suggest"
)

// UnmatchedOverrides describes the overrides that match nothing because the server has no such
// tool, one sentence each. Tools are the tool names of every server whose list is known. Overrides
// of other servers are not checked.
func (c *Config) UnmatchedOverrides(tools map[string][]string) []string {
	s := &c.Security
	var out []string
	for _, table := range []struct {
		key   string
		names []string
	}{
		{"security.classification.tool_overrides", slices.Sorted(maps.Keys(s.Classification.ToolOverrides))},
		{"security.flow_policy.tool_overrides", slices.Sorted(maps.Keys(s.FlowPolicy.ToolOverrides))},
	} {
		for _, name := range table.names {
			server, tool, named := strings.Cut(name, ":")
			declared, known := tools[server]
			if !named || !known || slices.Contains(declared, tool) {
				continue
			}
			said := fmt.Sprintf("%s: the server %q has no tool %q, so %q matches nothing", table.key, server, tool, name)
			if near := suggest.Nearest(tool, declared); near != "" {
				said += fmt.Sprintf("; did you mean %q?", server+":"+near)
			}
			out = append(out, said)
		}
	}
	return out
}
