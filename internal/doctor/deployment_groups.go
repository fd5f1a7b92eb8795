package doctor

import (
	"maps"
	"slices"

	"mcpproxy"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
)

// groupsPoint checks whether private servers are separated from servers through which data may
// leave.
func groupsPoint(_ Installation, c *config.Config, _ *Checkup) Check {
	classifier, strict := daemon.GateSettings(c, nil).Classifier, daemon.Walls(c)
	var inside, outside []string
	for _, s := range serversWhere(c, func(config.Server) bool { return true }) {
		switch class := classifier.Server(s); {
		case class.Leaves():
			outside = append(outside, s)
		case class.Side == mcpproxy.Internal:
			inside = append(inside, s)
		}
	}
	free := slices.DeleteFunc(slices.Concat(inside, outside), func(s string) bool { return strict[s] != "" })
	switch {
	case len(inside) == 0 || len(outside) == 0:
		return well("groups", "groups", "private and external servers are not configured together")
	case len(strict) == 0:
		return better(
			"groups",
			"groups.<name>.isolation",
			"put those that must not share data into groups with \"isolation\": \"strict\"",
			"%s are private, data may leave by %s, and no group is strict",
			listed(inside),
			listed(outside),
		)
	case len(free) > 0:
		return better(
			"groups",
			"groups.<name>.servers",
			"put them into one, unless they may share data with all",
			"%s are in no strict group",
			listed(free),
		)
	}
	for _, group := range slices.Sorted(maps.Keys(c.Groups)) {
		in := func(s string) bool { return strict[s] != group }
		private, leaving := slices.DeleteFunc(slices.Clone(inside), in), slices.DeleteFunc(slices.Clone(outside), in)
		if len(private) > 0 && len(leaving) > 0 {
			return better(
				"groups",
				"groups.<name>.servers",
				"give them a group each",
				"the group %s holds both: %s are private, and data may leave by %s",
				group,
				listed(private),
				listed(leaving),
			)
		}
	}
	return well("groups", "groups.<name>.isolation", "private and external servers are in strict groups")
}
