package gate_test

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/policy"
)

// scoring returns the default settings in which only the score decides, with thresholds.
func scoring(r policy.Risk) gate.Settings {
	s := defaults()
	s.Tables = policy.Tables{Risk: r}
	return s
}

// Shows: RFC-27.
func TestTheScoreFlagsAsksAndBlocks(t *testing.T) {
	for name, c := range map[string]struct {
		risk     policy.Risk
		decision mcpproxy.Decision
		rule     string
		flagged  bool
	}{
		"off":                   {policy.Risk{Flag: 1, Approve: 1, Block: true}, mcpproxy.Allow, "", false},
		"below every threshold": {policy.Risk{Enabled: true, Flag: 101, Approve: 101}, mcpproxy.Allow, "", false},
		"flagged":               {policy.Risk{Enabled: true, Flag: 70, Approve: 101}, mcpproxy.Warn, policy.RuleFlag, true},
		"to be approved":        {policy.Risk{Enabled: true, Flag: 70, Approve: 85}, mcpproxy.Ask, policy.RuleApprove, true},
		"blocked as it is critical": {policy.Risk{
			Enabled: true,
			Flag:    70,
			Approve: 85,
			Block:   true,
		}, mcpproxy.Deny, policy.RuleBlock, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, t.TempDir(), scoring(c.risk))
			v, _ := h.does(askable("slack", "post_message", object("text", gitToken)))
			if v.Decision != c.decision || v.Rule != c.rule || v.RiskScore < 85 {
				t.Errorf("%+v", v)
			}
			h.log.Close()
			r := h.stored(v.ID)
			if r.Metadata.Flagged != c.flagged || h.published(journal.EventFlowAlert) > 0 != c.flagged {
				t.Errorf("flagged %v, %d alerts", r.Metadata.Flagged, h.published(journal.EventFlowAlert))
			}
			if r.Metadata.Ruled == nil || r.Metadata.Ruled.Decision != c.decision || r.Metadata.Ruled.Rule != c.rule {
				t.Errorf("the record says %+v", r.Metadata.Ruled)
			}
		})
	}
}

// Personal data may be written to a note inside.
func TestSensitiveDataThatStaysInsideIsNoReasonToAsk(t *testing.T) {
	h := newHouse(t, t.TempDir(), scoring(policy.Risk{
		Enabled: true,
		Flag:    70,
		Approve: 85,
		Block:   true,
	}))
	v, _ := h.does(call("notes", "create_note", object("text", gitToken)))
	if v.Decision != mcpproxy.Allow || v.RiskScore < 50 {
		t.Errorf("%+v", v)
	}
}

func TestARecordNamesAllRulesThatWouldHaveStoppedTheCall(t *testing.T) {
	s := defaults()
	s.Tables.Operations[mcpproxy.Write] = mcpproxy.Deny
	h := newHouse(t, t.TempDir(), s)
	h.reads("github", "get_file", "token "+gitToken)
	v, _ := h.does(call("slack", "post_message", object("text", gitToken)))
	r := h.stored(v.ID)
	got := r.Metadata.Ruled
	if v.Rule != policy.RuleSensitive || got == nil || len(got.Also) < 2 ||
		got.Also[0] != policy.RuleOperation+"write" {
		t.Errorf("%s, and also %+v", v.Rule, got)
	}
	if l := r.Metadata.Legs; l.Sensitive == nil {
		t.Errorf("the record keeps the legs %+v", l)
	}
}
