package doctor

import (
	"strings"

	"mcpproxy/internal/api"
)

// checkNames reports overrides that match no tool, and tool names that several servers use.
func (f *Checkup) checkNames(st *api.Overview) {
	for _, said := range st.Unmatched {
		key, detail, _ := strings.Cut(said, ": ")
		f.add(Check{
			Section: "Configuration",
			Name:    "overrides",
			Detail:  detail,
			Advice:  "fix the name, or remove the override",
			Key:     key,
		})
	}
	f.advise(len(st.Shared) > 0, Check{
		Section: "Servers",
		Name:    "names",
		Detail:  "tools of one name on several servers: " + api.TellShared(st.Shared),
		Advice:  "agents see the server's name before each tool's name; disable the tools that you do not need",
	})
}
