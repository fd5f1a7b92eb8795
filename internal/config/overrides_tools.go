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
	var out []string
	for _, o := range c.toolOverrides() {
		declared, known := tools[o.server]
		if !known || slices.Contains(declared, o.tool) {
			continue
		}
		said := fmt.Sprintf("%s: the server %q has no tool %q, so %q matches nothing", o.key, o.server, o.tool, o.name())
		if near := suggest.Nearest(o.tool, declared); near != "" {
			said += fmt.Sprintf("; did you mean %q?", o.server+":"+near)
		}
		out = append(out, said)
	}
	return out
}

// UncheckedOverrides returns the overrides of single tools of configured servers whose tools are
// not known.
func (c *Config) UncheckedOverrides(tools map[string][]string) []string {
	var out []string
	for _, o := range c.toolOverrides() {
		_, known := tools[o.server]
		configured := slices.ContainsFunc(c.Servers, func(s Server) bool { return s.Name == o.server })
		if configured && !known && !slices.Contains(out, o.name()) {
			out = append(out, o.name())
		}
	}
	return out
}

// toolOverride is an override of one tool of one server.
type toolOverride struct{ key, server, tool string }

func (o toolOverride) name() string { return o.server + ":" + o.tool }

// toolOverrides returns all overrides of the form server:tool.
func (c *Config) toolOverrides() []toolOverride {
	s := &c.Security
	var out []toolOverride
	for _, table := range []struct {
		key   string
		names []string
	}{
		{"security.classification.tool_overrides", slices.Sorted(maps.Keys(s.Classification.ToolOverrides))},
		{"security.flow_policy.tool_overrides", slices.Sorted(maps.Keys(s.FlowPolicy.ToolOverrides))},
	} {
		for _, name := range table.names {
			if server, tool, named := strings.Cut(name, ":"); named {
				out = append(out, toolOverride{table.key, server, tool})
			}
		}
	}
	return out
}
