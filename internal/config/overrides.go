package config

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"mcpproxy/internal/agent"
)

// checkOverrides refuses overrides whose server is nearly one of the configured: they
// would match nothing. Names that are like none of them may be those of servers that an
// agent starts itself.
func (c *Config) checkOverrides() error {
	s := &c.Security
	var err error
	for key, names := range map[string][]string{
		"security.classification.server_overrides": slices.Sorted(maps.Keys(s.Classification.ServerOverrides)),
		"security.classification.tool_overrides":   slices.Sorted(maps.Keys(s.Classification.ToolOverrides)),
		"security.flow_policy.tool_overrides":      slices.Sorted(maps.Keys(s.FlowPolicy.ToolOverrides)),
	} {
		for _, name := range names {
			server, _, _ := strings.Cut(name, ":")
			if meant := c.misspelt(server); meant != "" {
				err = errors.Join(err, bad(key, "there is no server %q: did you mean %q?", server, meant))
			} else if meant := c.miscased(name); meant != "" && strings.HasSuffix(key, "tool_overrides") {
				err = errors.Join(err, bad(key, "no agent has a tool %q: did you mean %q?", name, meant))
			}
		}
	}
	return err
}

// misspelt is the configured server that name is one slip away from; "" when it is the
// name of a server, or like none.
func (c *Config) misspelt(name string) (meant string) {
	for _, s := range c.Servers {
		switch {
		case s.Name == name:
			return ""
		case oneSlip(strings.ToLower(name), strings.ToLower(s.Name)):
			meant = s.Name
		}
	}
	return meant
}

// miscased is the tool of an agent's own that name means, but for its capital letters: Websearch for
// WebSearch. Some agents write all of their tools small, so a name without capitals means itself.
func (c *Config) miscased(name string) (meant string) {
	if name == strings.ToLower(name) || slices.ContainsFunc(c.Servers, func(s Server) bool { return s.Name == name }) {
		return ""
	}
	for _, a := range agent.All() {
		t := a.Tools
		for _, tool := range slices.Concat(t.Reads, t.Writes, t.Works, t.Runs, t.Fetches, t.Sends) {
			switch {
			case tool == name:
				return ""
			case strings.EqualFold(tool, name) && tool != strings.ToLower(tool):
				meant = tool
			}
		}
	}
	return meant
}

// oneSlip reports whether a and b are equal, or differ by one letter that is missing, added,
// another or in its neighbour's place.
func oneSlip(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	same := 0
	for same < len(a) && a[same] == b[same] {
		same++
	}
	restA, restB := a[same:], b[same:]
	switch len(restB) - len(restA) {
	case 0:
		return len(restA) == 0 || restA[1:] == restB[1:] ||
			len(restA) > 1 && restA[0] == restB[1] && restA[1] == restB[0] && restA[2:] == restB[2:]
	case 1:
		return restA == restB[1:]
	}
	return false
}
