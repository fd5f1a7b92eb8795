package gate_test

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/explain"
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
			h := newRig(t, t.TempDir(), scoring(c.risk))
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
	h := newRig(t, t.TempDir(), scoring(policy.Risk{
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

// A call that looks up a key in the store that holds it sends the key nowhere, so the key does not raise the score or
// the level. In other calls it does.
// Shows: RFC-27.
func TestALookUpOfASecretInItsStoreIsNoRisk(t *testing.T) {
	for name, c := range map[string]struct {
		server, tool string
		counts       bool
	}{
		"a read on an internal server":          {"postgres", "get_row", false},
		"a write on an internal server":         {"postgres", "insert_row", true},
		"a read on an unknown server":           {"widget", "get_row", true},
		"a read on a server of the outside":     {"slack", "search_messages", true},
		"a read that the server does elsewhere": {"postgres", "fetch_url", true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), scoring(policy.Risk{}))
			v, _ := h.does(call(c.server, c.tool, object("text", gitToken)))
			h.log.Close()
			r := h.stored(v.ID)
			if len(v.Signals) == 0 || len(r.Metadata.Signals) == 0 {
				t.Fatal("the key was not found")
			}
			if critical := v.RiskLevel == mcpproxy.RiskCritical; critical != c.counts || critical != (v.RiskScore >= 70) {
				t.Errorf("%s, score %d: %+v", v.RiskLevel, v.RiskScore, r.Metadata.Classification)
			}
			if !c.counts && (v.RiskLevel != mcpproxy.RiskNone || r.RiskLevel != v.RiskLevel || r.RiskScore != 0) {
				t.Errorf("%s %d, recorded %s %d", v.RiskLevel, v.RiskScore, r.RiskLevel, r.RiskScore)
			}
			parts := explain.Of(r).Parts
			if len(parts) == 0 || parts[0].Inside == c.counts {
				t.Errorf("%+v", parts)
			}
		})
	}
}

func TestARecordNamesAllRulesThatWouldHaveStoppedTheCall(t *testing.T) {
	s := defaults()
	s.Tables.Operations[mcpproxy.Write] = mcpproxy.Deny
	h := newRig(t, t.TempDir(), s)
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
