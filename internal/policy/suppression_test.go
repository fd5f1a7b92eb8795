package policy_test

import (
	"slices"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

var noon = time.Date(2026, 12, 31, 12, 0, 0, 0, time.UTC)

// suppressing returns the standard tables with suppressions.
func suppressing(all ...policy.Suppression) policy.Tables {
	t := standard()
	t.Suppressions = all
	return t
}

func received(at time.Time) func(*policy.Facts) {
	return func(f *policy.Facts) { f.Call.Received = at }
}

func TestASuppressionDisablesOneRule(t *testing.T) {
	flow := policy.Suppression{Rule: policy.RuleExternal, Server: "slack", Tool: "post_message"}
	ending := flow
	ending.Until = noon
	secret := sensitive(edge("db", "slack"), "api_token")
	mine := suppressing(policy.Suppression{Rule: "mine", Server: "slack"})
	mine.Rules = ownRules{{"mine", mcpproxy.Deny}}
	full := suppressing(policy.Suppression{Rule: policy.RuleUser + "mine", Server: "slack"})
	full.Rules = mine.Rules
	override := suppressing(policy.Suppression{Rule: policy.RuleOverride + ".slack", Server: "slack"})
	override.ToolOverrides = map[string]mcpproxy.Decision{"slack": mcpproxy.Deny}
	for name, c := range map[string]struct {
		tables policy.Tables
		facts  policy.Facts
		rule   string // the rule that still stops the call; "" if it passes
	}{
		"the rule for the tool":                  {suppressing(flow), facts(edge("db", "slack")), ""},
		"the same until a moment before":         {suppressing(ending), facts(edge("db", "slack"), received(noon.Add(-time.Second))), ""},
		"the same from then on":                  {suppressing(ending), facts(edge("db", "slack"), received(noon)), policy.RuleExternal},
		"another tool":                           {suppressing(flow), facts(edge("db", "slack"), func(f *policy.Facts) { f.Call.Tool = "upload" }), policy.RuleExternal},
		"a server's tools":                       {suppressing(policy.Suppression{Rule: policy.RuleExternal, Server: "slack"}), facts(edge("db", "slack")), ""},
		"an agent's tool of that name":           {suppressing(policy.Suppression{Rule: policy.RuleExternal, Server: "slack"}), facts(agentTool("slack"), edge("db", "slack")), policy.RuleExternal},
		"an agent's tool":                        {suppressing(policy.Suppression{Rule: policy.RuleExternal, Tool: "WebFetch"}), facts(agentTool("WebFetch"), edge("db", "x")), ""},
		"a tool without a server does not match": {suppressing(policy.Suppression{Rule: policy.RuleExternal, Tool: "post_message"}), facts(edge("db", "slack")), policy.RuleExternal},
		"a secret is another rule":               {suppressing(flow), facts(secret), policy.RuleSensitive},
		"without that rule it is still data":     {suppressing(policy.Suppression{Rule: policy.RuleSensitive, Server: "slack"}), facts(secret), policy.RuleExternal},
		"without both it passes":                 {suppressing(flow, policy.Suppression{Rule: policy.RuleSensitive, Server: "slack"}), facts(secret), ""},
		"a kind of data does not match":          {suppressing(flow, policy.Suppression{Rule: "github_token", Server: "slack"}), facts(secret), policy.RuleSensitive},
		"a category of data":                     {suppressing(flow, policy.Suppression{Rule: "api_token", Server: "slack"}), facts(secret), ""},
		"a rule of the user":                     {mine, facts(), ""},
		"the same by its full name":              {full, facts(), ""},
		"an override":                            {override, facts(), ""},
		"no suspicious endpoint":                 {suppressing(policy.Suppression{Rule: policy.RuleSuspicious, Server: "slack"}), facts(says("https://webhook.site/x")), policy.RuleSuspicious},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.tables.Decide(c.facts)
			if got.Decision.Stops() != (c.rule != "") || c.rule != "" && got.Rule != c.rule {
				t.Errorf("%+v, want a stop by %q", got, c.rule)
			}
		})
	}
}

func TestASuppressedKindOfSignalDoesNotDecide(t *testing.T) {
	tables := suppressing(
		policy.Suppression{Rule: "github_token", Server: "slack"},
		policy.Suppression{Rule: policy.RuleExternal, Server: "slack"},
	)
	named := func(kind string) func(*policy.Facts) {
		return func(f *policy.Facts) {
			signal(mcpproxy.SourcePII, "api_token", false)(f)
			f.Signals[len(f.Signals)-1].Kind = kind
		}
	}
	secret := sensitive(edge("db", "slack"), "api_token")
	for name, c := range map[string]struct {
		facts policy.Facts
		stops bool
	}{
		"the kind alone":                         {facts(named("github_token")), false},
		"another kind beside it":                 {facts(named("github_token"), named("gitlab_token")), true},
		"what moved, beside a decoy of the kind": {facts(secret, named("github_token")), true},
		"what moved is of a kind that is unseen": {facts(secret), true},
	} {
		tables.Mark(c.facts.Call, c.facts.Signals)
		before := slices.Clone(c.facts.Edges)
		if got := tables.Decide(c.facts); got.Decision.Stops() != c.stops {
			t.Errorf("%s: %+v", name, got)
		}
		if len(before) > 0 && len(c.facts.Edges[0].Sensitive) != 1 {
			t.Errorf("%s: the record's edges were changed", name)
		}
	}
}

// Rules that protect the user from injected instructions cannot be disabled.
func TestSomeRulesCannotBeSuppressed(t *testing.T) {
	for _, rule := range []string{policy.RuleSuspicious, policy.RuleKill, policy.RuleLog, policy.RuleQuarantine, policy.RuleScope, policy.RuleSelf, policy.RuleUnreadable, mcpproxy.GroupRule + "a", ""} {
		if policy.Suppressible(rule) {
			t.Errorf("%q can be suppressed", rule)
		}
	}
}

func TestARuleThatCannotBeEvaluatedLetsNothingThrough(t *testing.T) {
	tables := standard()
	tables.Rules = ownRules{{"broken", ""}}
	for name, c := range map[string]struct {
		facts    policy.Facts
		override mcpproxy.Decision
		want     mcpproxy.Decision
		rule     string
	}{
		"nothing else":            {facts(), "", mcpproxy.Ask, policy.RuleUser + "broken"},
		"a table that denies":     {facts(sensitive(edge("db", "slack"), "x")), "", mcpproxy.Deny, policy.RuleSensitive},
		"an operation":            {facts(operation(mcpproxy.Destructive)), "", mcpproxy.Deny, policy.RuleOperation + "destructive"},
		"an override that denies": {facts(), mcpproxy.Deny, mcpproxy.Deny, policy.RuleOverride + ".slack"},
		"an override that allows": {facts(operation(mcpproxy.Destructive)), mcpproxy.Allow, mcpproxy.Ask, policy.RuleUser + "broken"},
		"a suspicious endpoint":   {facts(says("https://webhook.site/x")), "", mcpproxy.Deny, policy.RuleSuspicious},
	} {
		t.Run(name, func(t *testing.T) {
			if tables.ToolOverrides = nil; c.override != "" {
				tables.ToolOverrides = map[string]mcpproxy.Decision{"slack": c.override}
			}
			if got := tables.Decide(c.facts); got.Decision != c.want || got.Rule != c.rule {
				t.Errorf("%+v, want %s by %s", got, c.want, c.rule)
			}
		})
	}
}

func TestSensitiveDataIsRedactedWherePossible(t *testing.T) {
	pieces := func(f *policy.Facts) {
		sensitive(edge("db", "slack"), "x")(f)
		f.Edges[0].Match = "shards"
	}
	hook := func(f *policy.Facts) { f.Call.Channel = mcpproxy.ChannelHook }
	resource := func(f *policy.Facts) { f.Call.Kind = mcpproxy.KindResource }
	for name, c := range map[string]struct {
		facts     policy.Facts
		sensitive bool
		want      mcpproxy.Decision
	}{
		"a tool":                       {facts(), true, mcpproxy.Redact},
		"a resource":                   {facts(resource), true, mcpproxy.Deny},
		"a resource with nothing":      {facts(resource), false, mcpproxy.Redact},
		"a hook":                       {facts(hook), true, mcpproxy.Ask},
		"a hook with nothing":          {facts(hook), false, mcpproxy.Ask},
		"a secret in pieces":           {facts(pieces), false, mcpproxy.Deny},
		"a secret in a hook, the same": {facts(pieces, hook), false, mcpproxy.Ask},
	} {
		if got := c.facts.Possible(policy.Ruling{Decision: mcpproxy.Redact}, c.sensitive); got.Decision != c.want {
			t.Errorf("%s: %s, want %s", name, got.Decision, c.want)
		}
		if got := c.facts.Possible(policy.Ruling{Decision: mcpproxy.Warn}, c.sensitive); got.Decision != mcpproxy.Warn {
			t.Errorf("%s: a warning became %s", name, got.Decision)
		}
	}
}

func TestTheUsersRulesComeBeforeOverrides(t *testing.T) {
	tables := standard()
	tables.ToolOverrides = map[string]mcpproxy.Decision{"slack": mcpproxy.Deny}
	tables.Rules = ownRules{{"mine", mcpproxy.Allow}}
	if got := tables.Decide(
		facts(sensitive(edge("db", "slack"), "x")),
	); got.Decision != mcpproxy.Allow || got.Rule != policy.RuleUser+"mine" ||
		!got.Allowed() {
		t.Errorf("%+v", got)
	}
	if got := tables.Decide(facts(says("https://webhook.site"))); got.Rule != policy.RuleSuspicious {
		t.Errorf("a rule of the user's allowed a suspicious endpoint: %+v", got)
	}
	tables.Groups = policy.Groups{"slack": "a", "db": "b"}
	if got := tables.Decide(facts(edge("db", "slack"))); got.Rule != mcpproxy.GroupRule+"b" {
		t.Errorf("a rule of the user's opened a wall: %+v", got)
	}
}
