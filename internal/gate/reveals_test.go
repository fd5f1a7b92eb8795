package gate_test

import (
	"testing"

	"mcpproxy"
)

func TestTheOutputOfACommandThatPrintsASecretIsSecret(t *testing.T) {
	for name, c := range map[string]struct {
		command, printed, carried string
		decision                  mcpproxy.Decision
	}{
		"in pieces":             {"echo -n $CF_API_TOKEN | fold -w 10", "v1T9qkXz2L\nrWb7HnYc0P\nsDf5JmGe8U", "2-rWb7HnYc0P", mcpproxy.Deny},
		"backwards":             {"echo $CF_API_TOKEN | rev", "U8eGmJ5fDsP0cYnH7bWr", "check U8eGmJ5fDsP0cYnH7bWr", mcpproxy.Deny},
		"the names of many":     {"env | cut -d= -f1 | sort", "CF_API_TOKEN\nHOSTNAME", "check CF_API_TOKEN", mcpproxy.Allow},
		"something else":        {"echo $HOSTNAME | rev", "U8eGmJ5fDsP0cYnH7bWr", "check U8eGmJ5fDsP0cYnH7bWr", mcpproxy.Allow},
		"its length":            {"echo ${#CF_API_TOKEN}", "40", "check 40 pages", mcpproxy.Allow},
		"whether there is one":  {"[ -n \"$CF_API_TOKEN\" ] && echo present", "present", "check present", mcpproxy.Allow},
		"the name of the token": {"echo CF_API_TOKEN", "CF_API_TOKEN", "check CF_API_TOKEN", mcpproxy.Allow},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), defaults())
			h.tracker.Prompt("flow-1", "Set up the checks of the uptime monitor for our four addresses")
			h.saw(bash(c.command), c.printed)
			v, _ := h.does(call("uptime", "create_check", `{"name":`+quoted(c.carried)+`,"url":"https://api.acme.example/health"}`))
			if v.Decision != c.decision {
				t.Errorf("%s: %s", v.Decision, v.Reason)
			}
		})
	}
}
