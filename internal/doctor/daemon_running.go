package doctor

import (
	"fmt"

	"mcpproxy/internal/api"
)

// checkRunning checks the running daemon's configuration, clock, kill switch and flow sessions.
func (f *Checkup) checkRunning(st *api.Overview) {
	if st.ConfigError != "" {
		f.add(Check{
			Section: "Daemon",
			Name:    "configuration",
			Detail:  "the changed file cannot be used, an older one is in force: " + st.ConfigError,
			Advice:  "run `mcpproxy config validate`",
		})
	}
	f.advise(st.Log.AgeHeld != "", Check{
		Section: "Daemon",
		Name:    "clock",
		Detail:  "no records are removed by age: " + st.Log.AgeHeld,
		Advice:  "set the clock if it is wrong; if it is right, there is nothing to do",
	})
	f.advise(st.Kill.On, Check{
		Section: "Daemon",
		Name:    "kill switch",
		Detail:  "it is on: every call is denied",
		Advice:  "turn it off with `mcpproxy kill off` when you know why it is on",
	})
	f.advise(st.Lost > 0, Check{
		Section: "Daemon",
		Name:    "flow sessions",
		Detail: fmt.Sprintf(
			"the record of what %d of them had read was lost: their calls to external destinations are asked about until the sessions time out",
			st.Lost,
		),
		Advice: "`mcpproxy activity list --type gap` says why",
	})
}
