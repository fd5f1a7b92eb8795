package policy_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

func ExampleRemedyFor() {
	fmt.Println(
		policy.RemedyFor(&mcpproxy.Record{Rule: policy.RuleExternal, ServerName: "slack", ToolName: "post"}).JSON,
	)
	// Output:
	// {
	//   "security": {
	//     "suppressions": [
	//       {
	//         "rule": "security.flow_policy.internal_to_external",
	//         "server": "slack",
	//         "tool": "post"
	//       }
	//     ]
	//   }
	// }
}

// apply merges a remedy into the tables, as a user would merge it into the file.
func apply(t interface{ Fatal(...any) }, tables policy.Tables, remedy string) policy.Tables {
	var config struct {
		Security struct {
			Suppressions []struct{ Rule, Server, Tool string }
			FlowPolicy   struct {
				ToolOverrides map[string]mcpproxy.Decision `json:"tool_overrides"`
			} `json:"flow_policy"`
		} `json:"security"`
	}
	dec := json.NewDecoder(strings.NewReader(remedy))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&config); err != nil {
		t.Fatal(err)
	}
	for _, u := range config.Security.Suppressions {
		tables.Suppressions = append(
			slices.Clone(tables.Suppressions),
			policy.Suppression{Rule: u.Rule, Server: u.Server, Tool: u.Tool},
		)
	}
	tables.ToolOverrides = maps.Clone(tables.ToolOverrides)
	if tables.ToolOverrides == nil {
		tables.ToolOverrides = map[string]mcpproxy.Decision{}
	}
	maps.Copy(tables.ToolOverrides, config.Security.FlowPolicy.ToolOverrides)
	return tables
}

func record(t policy.Tables, f policy.Facts, r policy.Ruling) *mcpproxy.Record {
	return &mcpproxy.Record{
		ServerName: f.Call.Server,
		ToolName:   f.Call.Tool,
		Decision:   r.Decision,
		Rule:       r.Rule,
		Metadata:   mcpproxy.Metadata{Ruled: &mcpproxy.Ruled{Decision: r.Decision, Rule: r.Rule, Also: t.Also(f, r)}},
	}
}

// ownRule is a rule of the user that holds for calls of slack. A rule without a decision cannot be evaluated.
type ownRule struct {
	name string
	then mcpproxy.Decision
}

// ownRules are the user's own rules, in order.
type ownRules []ownRule

func (o ownRules) First(f policy.Facts, skip func(string) bool) (policy.Ruling, bool) {
	var unsure policy.Ruling
	for _, r := range o {
		switch rule := policy.RuleUser + r.name; {
		case f.Call.Server != "slack" || skip(rule):
		case r.then != "":
			return policy.Stricter(policy.Ruling{Decision: r.then, Rule: rule, Reason: "It is yours."}, unsure), true
		case unsure.Rule == "":
			unsure = policy.Ruling{Decision: mcpproxy.Ask, Rule: rule, Reason: "It is broken."}
		}
	}
	return unsure, false
}

func TestRemedyForEachRule(t *testing.T) {
	denied := standard()
	denied.ToolOverrides = map[string]mcpproxy.Decision{"slack": mcpproxy.Deny, "WebFetch": mcpproxy.Ask}
	told := careful()
	told.DeclaredDestination = mcpproxy.Ask
	mine, several := standard(), standard()
	mine.Rules = ownRules{{"mine", mcpproxy.Deny}}
	several.Rules = ownRules{{"mine", mcpproxy.Deny}, {"other", mcpproxy.Ask}}
	several.ToolOverrides = map[string]mcpproxy.Decision{"slack": mcpproxy.Deny}
	broken, overridden := standard(), standard()
	broken.Rules = ownRules{{"broken", ""}, {"too", ""}}
	overridden.Rules, overridden.ToolOverrides = broken.Rules, several.ToolOverrides
	cases := []struct {
		name   string
		tables policy.Tables
		facts  policy.Facts
		rule   string
	}{
		{"a rule of the user", mine, facts(), policy.RuleUser + "mine"},
		{
			"a rule of one's own before the tables",
			mine,
			facts(sensitive(edge("db", "slack"), "x"), operation(mcpproxy.Destructive)),
			policy.RuleUser + "mine",
		},
		{"a rule that cannot be evaluated", broken, facts(), policy.RuleUser + "broken"},
		{
			"a rule that cannot be evaluated before a table",
			broken,
			facts(sensitive(edge("db", "slack"), "x")),
			policy.RuleSensitive,
		},
		{
			"a rule that cannot be evaluated before an override",
			overridden,
			facts(edge("db", "slack")),
			policy.RuleOverride + ".slack",
		},
		{"the user's rules before an override", several, facts(), policy.RuleUser + "mine"},
		{
			"many rules at once",
			watchful(),
			facts(
				tainted,
				sensitive(edge("db", "slack"), "x"),
				operation(mcpproxy.Destructive),
				contradicted(mcpproxy.Deny),
			),
			policy.RuleSensitive,
		},
		{"the score", weighed(false), facts(scored(90)), policy.RuleApprove},
		{"critical risk", weighed(true), facts(scored(90)), policy.RuleBlock},
		{"internal_to_external", standard(), facts(edge("db", "slack")), policy.RuleExternal},
		{"sensitive_data_external", standard(), facts(sensitive(edge("db", "slack"), "x")), policy.RuleSensitive},
		{
			"declared_destination",
			told,
			facts(edge("db", "slack"), to("a@b.cd", mcpproxy.FromUser)),
			policy.RuleDeclared,
		},
		{
			"untrusted_destination",
			careful(),
			facts(edge("db", "slack"), to("a@b.cd", mcpproxy.FromUntrusted)),
			policy.RuleUntrusted,
		},
		{"an unknown destination after an instruction", careful(), facts(instruction), policy.RuleUntrusted},
		{"injected_destination", careful(), facts(to("a@b.cd", mcpproxy.FromInjected)), policy.RuleInjected},
		{"a dictated value", careful(), facts(toKind("argument", "13", mcpproxy.FromInjected)), policy.RuleInjected},
		{
			"sensitive data of unknown origin",
			standard(),
			facts(signal(mcpproxy.SourcePII, "api_token", false)),
			policy.RuleSensitive,
		},
		{"tool_policy", standard(), facts(operation(mcpproxy.Destructive)), policy.RuleOperation + "destructive"},
		{"session_taint", watchful(), facts(tainted), policy.RuleTaint},
		{
			"opaque_payload",
			watchful(),
			facts(tainted, operation(mcpproxy.Read), observed(mcpproxy.KindOpaquePayload)),
			policy.RuleOpaque,
		},
		{
			"exfiltration",
			watchful(),
			facts(tainted, operation(mcpproxy.Read), observed(mcpproxy.KindManyDestinations)),
			policy.RuleBudget,
		},
		{"contradiction", standard(), facts(contradicted(mcpproxy.Deny)), policy.RuleContradiction},
		{"contradiction that asks", standard(), facts(contradicted(mcpproxy.Ask)), policy.RuleContradiction},
		{"a server's override", denied, facts(), policy.RuleOverride + ".slack"},
		{"an agent tool's override", denied, facts(agentTool("WebFetch")), policy.RuleOverride + ".WebFetch"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			before := c.tables.Decide(c.facts)
			if before.Rule != c.rule || !before.Decision.Stops() {
				t.Fatalf("%+v, want a stop by %s", before, c.rule)
			}
			remedy := policy.RemedyFor(record(c.tables, c.facts, before))
			after := apply(t, c.tables, remedy.JSON)
			if got := after.Decide(c.facts); got.Decision.Stops() {
				t.Errorf("after %s: %+v", remedy.JSON, got)
			}
			other := facts(func(f *policy.Facts) { *f = c.facts; call := *f.Call; call.Tool += "_2"; f.Call = &call })
			if was, is := c.tables.Decide(other), after.Decide(other); was != is {
				t.Errorf("another tool went from %+v to %+v", was, is)
			}
			if remedy.Meaning == "" {
				t.Error("the remedy does not say what it means")
			}
		})
	}
}

func TestIfNoConfigurationAllowsACallTheRemedySaysWhy(t *testing.T) {
	for _, rule := range []string{policy.RuleSuspicious, policy.RuleUnreadable, policy.RuleSelf, policy.RuleQuarantine, ""} {
		r := policy.RemedyFor(&mcpproxy.Record{Rule: rule, ServerName: "s", ToolName: "t"})
		if r.JSON != "" || r.Meaning == "" {
			t.Errorf("rule %q: %+v", rule, r)
		}
	}
}

func TestARemedyAlwaysAllowsTheCallItWasMadeFor(t *testing.T) {
	decisions := rapid.SampledFrom([]mcpproxy.Decision{mcpproxy.Allow, mcpproxy.Warn, mcpproxy.Ask, mcpproxy.Deny})
	names := rapid.SampledFrom([]string{"", "slack", "a:b", `odd "name"`, "tool_overrides", "é\u200b"})
	rapid.Check(t, func(t *rapid.T) {
		tables := policy.Tables{
			InternalToExternal:    decisions.Draw(t, "flow"),
			SensitiveDataExternal: decisions.Draw(t, "secret"),
			SuspiciousEndpoints:   []string{"webhook.site"},
			ToolOverrides:         rapid.MapOf(names, decisions).Draw(t, "overrides"),
			SessionTaint:          decisions.Draw(t, "taint"),
			OpaquePayload:         decisions.Draw(t, "opaque"),
			Budget:                decisions.Draw(t, "budget"),
			Operations:            map[mcpproxy.Operation]mcpproxy.Decision{mcpproxy.Write: decisions.Draw(t, "write")},
			Contradiction:         decisions.Draw(t, "contradiction"),
			Risk: policy.Risk{
				Enabled: rapid.Bool().Draw(t, "risk"),
				Flag:    10,
				Approve: 20,
				Block:   rapid.Bool().Draw(t, "block"),
			},
		}
		if rapid.Bool().Draw(t, "rules") {
			rulings := rapid.OneOf(decisions, rapid.Just(mcpproxy.Decision("")))
			tables.Rules = ownRules{{"one", rulings.Draw(t, "one")}, {"two", rulings.Draw(t, "two")}}
		}
		f := facts(func(f *policy.Facts) {
			f.Call.Server, f.Call.Tool = names.Draw(t, "server"), "x"+names.Draw(t, "tool")
			scored(rapid.IntRange(0, 100).Draw(t, "score"))(f)
			f.Strings = rapid.SliceOf(rapid.SampledFrom([]string{"hi", "https://webhook.site"})).Draw(t, "texts")
		})
		if rapid.Bool().Draw(t, "edge") {
			sensitive(edge("db", "slack"), rapid.SliceOf(rapid.Just("api_token")).Draw(t, "sensitive")...)(&f)
		}
		if rapid.Bool().Draw(t, "signal") {
			signal(mcpproxy.SourcePII, "api_token", rapid.Bool().Draw(t, "example"))(&f)
		}
		if rapid.Bool().Draw(t, "tainted") {
			tainted(&f)
			observed(
				rapid.SampledFrom([]string{mcpproxy.KindOpaquePayload, mcpproxy.KindExternalVolume, "other"}).
					Draw(t, "kind"),
			)(
				&f,
			)
		}
		if rapid.Bool().Draw(t, "contradicted") {
			contradicted(decisions.Draw(t, "action"))(&f)
		}
		before := tables.Decide(f)
		if !before.Decision.Stops() {
			return
		}
		remedy := policy.RemedyFor(record(tables, f, before))
		if before.Rule == policy.RuleSuspicious {
			if remedy.JSON != "" {
				t.Fatalf("a remedy for a suspicious endpoint: %s", remedy.JSON)
			}
			return
		}
		tables = apply(t, tables, remedy.JSON)
		if got := tables.Decide(f); got.Decision.Rank() > mcpproxy.Warn.Rank() {
			t.Fatalf("%+v became %+v by %s", before, got, remedy.JSON)
		}
	})
}

func TestTheRemedyForAPersonIsInTheConfiguration(t *testing.T) {
	for principal, want := range map[string]string{
		"ci":                    "mcpproxy token revoke ci",
		"oidc/ann@acme.example": "auth.oidc.groups",
		"cert/ci.acme.example":  "auth.certificates",
	} {
		r := policy.RemedyFor(&mcpproxy.Record{
			Rule:       policy.RuleScope,
			Principal:  principal,
			ServerName: "slack",
			ToolName:   "post",
		})
		if !strings.Contains(r.Meaning, want) || r.JSON != "" {
			t.Errorf("%s: %+v, want %q", principal, r, want)
		}
	}
}
