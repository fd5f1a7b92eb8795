package policy_test

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
)

// weighed returns tables that only decide by the score.
func weighed(block bool) policy.Tables {
	return policy.Tables{Risk: policy.Risk{
		Enabled: true,
		Flag:    70,
		Approve: 85,
		Block:   block,
	}}
}

func scored(score int) func(*policy.Facts) {
	return func(f *policy.Facts) { f.RiskScore, f.RiskLevel = score, risk.Level(score) }
}

func TestTheScoreDecides(t *testing.T) {
	for name, c := range map[string]struct {
		tables policy.Tables
		facts  policy.Facts
		want   mcpproxy.Decision
		rule   string
	}{
		"nothing observed":                 {weighed(true), facts(scored(0)), mcpproxy.Allow, ""},
		"below every threshold":            {weighed(true), facts(scored(69)), mcpproxy.Allow, ""},
		"flagged":                          {weighed(false), facts(scored(70)), mcpproxy.Warn, policy.RuleFlag},
		"just below approval":              {weighed(false), facts(scored(84)), mcpproxy.Warn, policy.RuleFlag},
		"approval":                         {weighed(false), facts(scored(85)), mcpproxy.Ask, policy.RuleApprove},
		"critical, and blocked":            {weighed(true), facts(scored(70)), mcpproxy.Deny, policy.RuleBlock},
		"critical by an edge alone":        {weighed(true), facts(func(f *policy.Facts) { f.RiskLevel = mcpproxy.RiskCritical }), mcpproxy.Deny, policy.RuleBlock},
		"switched off":                     {policy.Tables{Risk: policy.Risk{Flag: 70, Approve: 85, Block: true}}, facts(scored(100)), mcpproxy.Allow, ""},
		"a threshold of nothing":           {policy.Tables{Risk: policy.Risk{Enabled: true}}, facts(scored(0)), mcpproxy.Allow, ""},
		"approval before the flag":         {policy.Tables{Risk: policy.Risk{Enabled: true, Flag: 90, Approve: 10}}, facts(scored(20)), mcpproxy.Ask, policy.RuleApprove},
		"a table that says the same":       {policy.Tables{InternalToExternal: mcpproxy.Ask, Risk: weighed(false).Risk}, facts(edge("db", "slack"), scored(90)), mcpproxy.Ask, policy.RuleExternal},
		"a milder table":                   {policy.Tables{InternalToExternal: mcpproxy.Warn, Risk: weighed(false).Risk}, facts(edge("db", "slack"), scored(90)), mcpproxy.Ask, policy.RuleApprove},
		"sensitive data that stays inside": {weighed(true), facts(scored(100), class(mcpproxy.Internal, false)), mcpproxy.Allow, ""},
		"other evidence inside": {weighed(false), facts(scored(100), class(mcpproxy.Internal, false), func(f *policy.Facts) { f.RiskWithout = 90 }),
			mcpproxy.Ask, policy.RuleApprove},
		"what is redacted": {policy.Tables{SensitiveDataExternal: mcpproxy.Redact, Risk: weighed(true).Risk},
			facts(scored(100), signal(mcpproxy.SourcePII, "api_token", false)), mcpproxy.Redact, policy.RuleSensitive},
		"what is redacted, and more": {policy.Tables{SensitiveDataExternal: mcpproxy.Redact, Risk: weighed(false).Risk},
			facts(scored(100), signal(mcpproxy.SourcePII, "api_token", false), func(f *policy.Facts) { f.RiskWithout = 85 }), mcpproxy.Ask, policy.RuleApprove},
		"an override that settles it": {policy.Tables{ToolOverrides: map[string]mcpproxy.Decision{"slack": mcpproxy.Allow}, Risk: weighed(true).Risk},
			facts(scored(100)), mcpproxy.Allow, policy.RuleOverride + ".slack"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.tables.Decide(c.facts); got.Decision != c.want || got.Rule != c.rule {
				t.Errorf("%+v, want %s by %q", got, c.want, c.rule)
			}
		})
	}
}
