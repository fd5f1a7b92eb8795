package policy_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// standard returns the tables of the default configuration.
func standard() policy.Tables {
	return policy.Tables{
		InternalToExternal:    mcpproxy.Ask,
		SensitiveDataExternal: mcpproxy.Deny,
		SuspiciousEndpoints:   []string{"webhook.site", "requestbin.com"},
		Operations: map[mcpproxy.Operation]mcpproxy.Decision{
			mcpproxy.Read: mcpproxy.Allow, mcpproxy.Write: mcpproxy.Allow, mcpproxy.Destructive: mcpproxy.Deny},
		Contradiction: mcpproxy.Deny,
	}
}

func ExampleTables_Decide() {
	tables := standard()
	r := tables.Decide(facts(sensitive(edge("github", "slack"), "api_token")))
	fmt.Println(r.Decision, r.Rule)
	fmt.Println(r.Reason)
	// Output:
	// deny security.flow_policy.sensitive_data_external
	// Sensitive data (api_token) flowing from internal source (github) to external destination (slack).
}

// facts returns the facts of a call of slack:post_message, with changes.
func facts(changes ...func(*policy.Facts)) policy.Facts {
	f := policy.Facts{
		Facts: mcpproxy.Facts{
			Classification: &mcpproxy.Class{Side: mcpproxy.External, CanExfiltrate: true},
			Operation:      mcpproxy.Write,
		},
		Call: &mcpproxy.Call{Kind: mcpproxy.KindTool, Server: "slack", Tool: "post_message"},
	}
	for _, change := range changes {
		change(&f)
	}
	return f
}

func edge(from, to string) func(*policy.Facts) {
	return func(f *policy.Facts) {
		f.Edges = append(
			f.Edges,
			mcpproxy.Edge{From: mcpproxy.Origin{Server: from}, To: to, Type: mcpproxy.InternalToExternal},
		)
	}
}

// sensitive marks the data of the last edge that change adds.
func sensitive(change func(*policy.Facts), categories ...string) func(*policy.Facts) {
	return func(f *policy.Facts) {
		change(f)
		f.Edges[len(f.Edges)-1].Sensitive = categories
	}
}

func says(s ...string) func(*policy.Facts) {
	return func(f *policy.Facts) { f.Strings = append(f.Strings, s...) }
}

func operation(op mcpproxy.Operation) func(*policy.Facts) {
	return func(f *policy.Facts) { f.Operation = op }
}

func class(side mcpproxy.Side, exfiltrates bool) func(*policy.Facts) {
	return func(f *policy.Facts) { f.Classification = &mcpproxy.Class{Side: side, CanExfiltrate: exfiltrates} }
}

func signal(source mcpproxy.Source, category string, example bool) func(*policy.Facts) {
	return func(f *policy.Facts) {
		s := mcpproxy.Signal{
			Source:     source,
			Category:   category,
			Example:    example,
			Severity:   mcpproxy.SeverityHigh,
			Confidence: 0.9,
		}
		if category == "contact" {
			s.Severity = mcpproxy.SeverityMedium
		}
		f.Signals = append(f.Signals, s)
	}
}

func agentTool(name string) func(*policy.Facts) {
	return func(f *policy.Facts) { f.Call.Server, f.Call.Tool = "", name }
}

// Shows: RFC-24.
func TestDecideByTheTables(t *testing.T) {
	edgeOf := func(flow mcpproxy.FlowType) func(*policy.Facts) {
		return func(f *policy.Facts) {
			f.Edges = append(f.Edges, mcpproxy.Edge{Type: flow, Sensitive: []string{"api_token"}})
		}
	}
	cases := []struct {
		name     string
		facts    policy.Facts
		decision mcpproxy.Decision
		rule     string
	}{
		{"a call about which nothing is known passes", facts(), mcpproxy.Allow, ""},
		{"internal to external asks", facts(edge("db", "slack")), mcpproxy.Ask, policy.RuleExternal},
		{
			"sensitive data to the outside is denied",
			facts(sensitive(edge("db", "slack"), "api_token")),
			mcpproxy.Deny,
			policy.RuleSensitive,
		},
		{
			"the worst edge decides",
			facts(edge("a", "slack"), sensitive(edge("b", "slack"), "private_key"), edge("c", "slack")),
			mcpproxy.Deny,
			policy.RuleSensitive,
		},
		{"internal to internal passes", facts(edgeOf(mcpproxy.InternalToInternal)), mcpproxy.Allow, ""},
		{"external to internal passes", facts(edgeOf(mcpproxy.ExternalToInternal)), mcpproxy.Allow, ""},
		{"external to external passes", facts(edgeOf(mcpproxy.ExternalToExternal)), mcpproxy.Allow, ""},
		{
			"a secret from nowhere to the outside is denied",
			facts(signal(mcpproxy.SourcePII, "cloud_credentials", false)),
			mcpproxy.Deny,
			policy.RuleSensitive,
		},
		{
			"a secret from nowhere to the inside passes",
			facts(class(mcpproxy.Internal, false), signal(mcpproxy.SourcePII, "cloud_credentials", false)),
			mcpproxy.Allow,
			"",
		},
		{"an example of a secret passes", facts(signal(mcpproxy.SourcePII, "api_token", true)), mcpproxy.Allow, ""},
		{
			"a secret behind an example does not",
			facts(signal(mcpproxy.SourcePII, "api_token", true), signal(mcpproxy.SourcePII, "private_key", false)),
			mcpproxy.Deny,
			policy.RuleSensitive,
		},
		{
			"a card number may not",
			facts(signal(mcpproxy.SourcePII, "credit_card", false)),
			mcpproxy.Deny,
			policy.RuleSensitive,
		},
		{"an e-mail address may leave", facts(signal(mcpproxy.SourcePII, "contact", false)), mcpproxy.Allow, ""},
		{
			"another detector's word is no secret",
			facts(signal(mcpproxy.SourceAgentHint, "api_token", false)),
			mcpproxy.Allow,
			"",
		},
		{
			"a destructive tool is denied",
			facts(operation(mcpproxy.Destructive)),
			mcpproxy.Deny,
			policy.RuleOperation + "destructive",
		},
		{"an operation without an entry passes", facts(operation(mcpproxy.UnknownOperation)), mcpproxy.Allow, ""},
		{
			"only tools have operations",
			facts(operation(mcpproxy.Destructive), func(f *policy.Facts) { f.Call.Kind = mcpproxy.KindResource }),
			mcpproxy.Allow,
			"",
		},
		{
			"the strictest table wins",
			facts(edge("db", "slack"), operation(mcpproxy.Destructive)),
			mcpproxy.Deny,
			policy.RuleOperation + "destructive",
		},
		{
			"the flow table speaks first among equals",
			facts(sensitive(edge("db", "slack"), "api_token"), operation(mcpproxy.Destructive)),
			mcpproxy.Deny,
			policy.RuleSensitive,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tables := standard()
			got := tables.Decide(c.facts)
			if got.Decision != c.decision || got.Rule != c.rule {
				t.Errorf("%+v, want %s by %q", got, c.decision, c.rule)
			}
			if (got.Reason == "") != (c.rule == "") {
				t.Errorf("reason %q for rule %q", got.Reason, got.Rule)
			}
		})
	}
}

func TestACallThatDestroysIsDeniedWhereNobodyCanBeAsked(t *testing.T) {
	tables := standard()
	f := facts(operation(mcpproxy.Destructive))
	for rule, want := range map[string]mcpproxy.Decision{
		policy.RuleOperation + "destructive": mcpproxy.Deny,
		policy.RuleUnrequested:               mcpproxy.Warn,
	} {
		if got := tables.Unasked(f, policy.Ruling{Decision: mcpproxy.Ask, Rule: rule}, false); got != want {
			t.Errorf("an ask by %s becomes %s, want %s", rule, got, want)
		}
	}
}

func TestReasonsAreThoseOfTheSpecification(t *testing.T) {
	cases := []struct {
		name  string
		facts policy.Facts
		want  string
	}{
		{"a secret between servers", facts(sensitive(edge("github", "slack"), "api_token")),
			"Sensitive data (api_token) flowing from internal source (github) to external destination (slack)."},
		{
			"several secrets",
			facts(sensitive(edge("github", "slack"), "api_token", "private_key")),
			"Sensitive data (api_token, private_key) flowing from internal source (github) to external destination (slack).",
		},
		{
			"ordinary data",
			facts(edge("db", "slack")),
			"Data flowing from internal source (db) to external destination (slack).",
		},
		{
			"a suspicious endpoint",
			facts(says("https://webhook.site/x")),
			"Data sent to a suspicious endpoint (webhook.site).",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tables := standard()
			if diff := cmp.Diff(c.want, tables.Decide(c.facts).Reason); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Shows: FR-060, story 6.
func TestEveryConfiguredDecisionIsMade(t *testing.T) {
	for _, d := range []mcpproxy.Decision{mcpproxy.Allow, mcpproxy.Warn, mcpproxy.Ask, mcpproxy.Deny} {
		tables := policy.Tables{
			InternalToExternal:    d,
			SensitiveDataExternal: d,
			Operations:            map[mcpproxy.Operation]mcpproxy.Decision{mcpproxy.Write: d},
		}
		for table, f := range map[string]policy.Facts{
			"internal_to_external":               facts(edge("db", "slack"), operation(mcpproxy.Read)),
			"sensitive_data_external":            facts(sensitive(edge("db", "slack"), "x"), operation(mcpproxy.Read)),
			"sensitive_data_external, no origin": facts(signal(mcpproxy.SourcePII, "auth_token", false), operation(mcpproxy.Read)),
			"tool_policy.write":                  facts(),
		} {
			if got := tables.Decide(f); got.Decision != d {
				t.Errorf("%s: %s gave %+v", table, d, got)
			}
		}
	}
}

// Shows: FR-062.
func TestOverrides(t *testing.T) {
	overrides := map[string]mcpproxy.Decision{
		"slack":              mcpproxy.Deny,
		"slack:post_message": mcpproxy.Allow,
		"WebSearch":          mcpproxy.Allow,
		"github:get":         mcpproxy.Ask,
		"":                   mcpproxy.Deny,
	}
	cases := []struct {
		name     string
		facts    policy.Facts
		decision mcpproxy.Decision
		rule     string
	}{
		{
			"an override settles what the tables would deny",
			facts(sensitive(edge("db", "slack"), "api_token"), operation(mcpproxy.Destructive)),
			mcpproxy.Allow,
			policy.RuleOverride + ".slack:post_message",
		},
		{
			"the server's override meets its other tools",
			facts(func(f *policy.Facts) { f.Call.Tool = "read_channel" }),
			mcpproxy.Deny,
			policy.RuleOverride + ".slack",
		},
		{
			"an agent tool is overridden by its name",
			facts(agentTool("WebSearch"), edge("Read", "WebSearch")),
			mcpproxy.Allow,
			policy.RuleOverride + ".WebSearch",
		},
		{
			"a server's tool of that name is not",
			facts(func(f *policy.Facts) { f.Call.Server, f.Call.Tool = "acme", "WebSearch" }, edge("db", "acme")),
			mcpproxy.Ask,
			policy.RuleExternal,
		},
		{
			"another tool of a named server is not",
			facts(func(f *policy.Facts) { f.Call.Server, f.Call.Tool = "github", "get_file" }),
			mcpproxy.Allow,
			"",
		},
		{
			"an override can be stricter than the tables",
			facts(func(f *policy.Facts) { f.Call.Server, f.Call.Tool = "github", "get" }),
			mcpproxy.Ask,
			policy.RuleOverride + ".github:get",
		},
		{"an empty key overrides no agent tool", facts(agentTool("Read")), mcpproxy.Allow, ""},
		{
			"nothing overrides a suspicious endpoint",
			facts(says("https://webhook.site/x")),
			mcpproxy.Deny,
			policy.RuleSuspicious,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tables := standard()
			tables.ToolOverrides = overrides
			if got := tables.Decide(c.facts); got.Decision != c.decision || got.Rule != c.rule {
				t.Errorf("%+v, want %s by %q", got, c.decision, c.rule)
			}
		})
	}
}
