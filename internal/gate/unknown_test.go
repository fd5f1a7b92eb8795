package gate_test

import (
	"maps"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// If calls that write are denied, so is a call whose operation is not known.
// Shows: RFC-18.
func TestAnUnknownOperationCountsAsAChange(t *testing.T) {
	s := defaults()
	s.Tables.Operations = maps.Clone(s.Tables.Operations)
	s.Tables.Operations[mcpproxy.Write] = mcpproxy.Deny
	h := newRig(t, t.TempDir(), s)
	for tool, passes := range map[string]bool{
		"frobnicate":  false,
		"nuke":        false,
		"create_note": false,
		"get_note":    true,
	} {
		v, sent := h.does(call("thing42", tool, `{"name":"x"}`))
		if sent != passes || !passes && v.Rule != policy.RuleOperation+string(mcpproxy.Write) {
			t.Errorf("%s: %+v", tool, v)
		}
	}
}
