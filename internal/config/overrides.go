package config

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"mcpproxy/internal/agent"
)

// checkOverrides refuses overrides whose server name is a likely misspelling of a configured
// server, because they would match nothing. Other unknown names may be servers that an agent starts
// itself.
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

// misspelt returns the configured server whose name differs from name by one typo. It returns "" if
// name is a server, or similar to none.
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

// miscased returns an agent's built-in tool whose name differs from name only in case: WebSearch
// for Websearch. Some agents write their tools in lower case, so it ignores a name without
// capitals.
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

// oneSlip reports whether a and b are equal or differ by one missing, added, changed or transposed
// letter.
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
