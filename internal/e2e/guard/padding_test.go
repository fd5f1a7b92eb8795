//go:build linux

package guard_test

import (
	"strings"
	"testing"
)

// A payload that is too long to be read completely does not disable the hook: it is handled as the configuration says,
// and a command of that length is denied.
func TestPaddingDoesNotTurnTheHookOff(t *testing.T) {
	t.Parallel()
	r := newHost(t, object{
		"security": object{
			"hooks":           object{"fail_open": false},
			"tool_quarantine": object{"auto_quarantine_new_tools": false},
		},
	})
	r.Serve(2)
	padding := strings.Repeat("x", 17<<20)
	for name, command := range map[string]string{
		"before": ": " + padding + "; mcpproxy kill off",
		"after":  "mcpproxy kill off # " + padding,
	} {
		t.Run(name, func(t *testing.T) {
			a := r.agent(t)
			if decision, said := a.before("Bash", object{"command": command}); decision != "deny" {
				t.Errorf("a command with padding %s is answered with %s: %.300s", name, decision, said.Stdout+said.Stderr)
			}
			if decision, said := a.before("Bash", object{"command": "true"}); decision != "allow" {
				t.Errorf("the next command is answered with %s: %+v", decision, said)
			}
		})
	}
	if out, _ := r.mcpproxy("status"); strings.Contains(out, "PASSED UNSEEN") {
		t.Errorf("status says %s", out)
	}
}
