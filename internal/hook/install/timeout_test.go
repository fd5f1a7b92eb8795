package install_test

import (
	"regexp"
	"strconv"
	"testing"
	"time"

	"mcpproxy/internal/hook/client"
	"mcpproxy/internal/hook/install"
)

// timeouts are the positions of a hook's timeout in the settings of agents.
var timeouts = regexp.MustCompile(`(?:"timeout(?:Sec)?": |const patience = )(\d+)`)

// Otherwise an attacker could keep the daemon busy until the agent continues, and the call would pass unjudged.
func TestEveryAgentWaitsLongerThanAHookTakes(t *testing.T) {
	units := map[string]time.Duration{"gemini-cli": time.Millisecond, "opencode": time.Millisecond}
	short := map[string]int{"codex": 1} // the end of a session, for which Codex allows three seconds
	eachPlace(t, func(t *testing.T, env install.Env, p install.Place) {
		plan, err := p.Install(program)
		apply(t, plan, err)
		unit := units[p.Agent]
		if unit == 0 {
			unit = time.Second
		}
		found := timeouts.FindAllStringSubmatch(content(t, p.Path), -1)
		less := 0
		for _, f := range found {
			n, _ := strconv.Atoi(f[1])
			if time.Duration(n)*unit <= client.Longest {
				less++
			}
		}
		if len(found) == 0 || less != short[p.Agent] {
			t.Errorf("%d of %d timeouts are not longer than %s", less, len(found), client.Longest)
		}
	})
}
