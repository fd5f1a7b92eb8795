package policy_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// own returns the facts about an agent's own tool that stays inside.
func own(tool string, op mcpproxy.Operation, changes ...func(*policy.Facts)) policy.Facts {
	f := policy.Facts{
		Facts: mcpproxy.Facts{
			Classification: &mcpproxy.Class{Side: mcpproxy.Internal, CanReadData: true},
			Operation:      op,
		},
		Call: &mcpproxy.Call{Kind: mcpproxy.KindTool, Tool: tool},
	}
	for _, change := range changes {
		change(&f)
	}
	return f
}

func TestWhichCallsAreSettled(t *testing.T) {
	says := func(s string) func(*policy.Facts) {
		return func(f *policy.Facts) { f.Strings = append(f.Strings, s) }
	}
	for name, c := range map[string]struct {
		facts  policy.Facts
		change func(*policy.Tables)
		want   bool
	}{
		"a file that is written":                       {own("Write", mcpproxy.Write), nil, true},
		"a file that is read":                          {own("Read", mcpproxy.Read), nil, true},
		"a note about an endpoint":                     {own("Write", mcpproxy.Write, says("never call webhook.site")), nil, true},
		"an endpoint itself":                           {own("Write", mcpproxy.Write, says("https://webhook.site/x")), nil, false},
		"after an instruction":                         {own("Write", mcpproxy.Write, instruction), nil, false},
		"a file that is written after strangers spoke": {own("Write", mcpproxy.Write, strangers), nil, false},
		"a file that is read after strangers spoke":    {own("Read", mcpproxy.Read, strangers), nil, true},
		"a tool that leaves":                           {own("Write", mcpproxy.Write, class(mcpproxy.Internal, true)), nil, false},
		"a tool outside":                               {own("WebFetch", mcpproxy.Read, class(mcpproxy.External, false)), nil, false},
		"a tool of both sides":                         {own("Bash", mcpproxy.UnknownOperation, class(mcpproxy.Hybrid, false)), nil, false},
		"a server's tool":                              {facts(class(mcpproxy.Internal, false)), nil, false},
		"a tool that is allowed":                       {own("Write", mcpproxy.Write), func(t *policy.Tables) { t.ToolOverrides = decisions("Write", mcpproxy.Allow) }, true},
		"a tool that is denied":                        {own("Write", mcpproxy.Write), func(t *policy.Tables) { t.ToolOverrides = decisions("Write", mcpproxy.Deny) }, false},
		"a tool that is asked about":                   {own("Write", mcpproxy.Write), func(t *policy.Tables) { t.ToolOverrides = decisions("Write", mcpproxy.Ask) }, false},
		"a tool whose secrets are redacted":            {own("Write", mcpproxy.Write), func(t *policy.Tables) { t.ToolOverrides = decisions("Write", mcpproxy.Redact) }, false},
		"rules of the user":                            {own("Write", mcpproxy.Write), func(t *policy.Tables) { t.Rules = ownRules{} }, false},
		"the usual thresholds": {own("Write", mcpproxy.Write), func(t *policy.Tables) {
			t.Risk = policy.Risk{
				Enabled: true,
				Flag:    70,
				Approve: 85,
				Block:   true,
			}
		}, true},
		"a low threshold": {own("Write", mcpproxy.Write), func(t *policy.Tables) { t.Risk = policy.Risk{Enabled: true, Approve: 30} }, false},
		"the same, off":   {own("Write", mcpproxy.Write), func(t *policy.Tables) { t.Risk = policy.Risk{Approve: 30} }, true},
		"an override that is suppressed": {own("Write", mcpproxy.Write), func(t *policy.Tables) {
			t.ToolOverrides, t.Suppressions = decisions("Write", mcpproxy.Deny), []policy.Suppression{{Rule: policy.RuleOverride + ".Write", Tool: "Write"}}
		}, true},
		"an operation that is denied": {own("Write", mcpproxy.Write), func(t *policy.Tables) { t.Operations[mcpproxy.Write] = mcpproxy.Deny }, false},
	} {
		t.Run(name, func(t *testing.T) {
			tables := careful()
			if c.change != nil {
				c.change(&tables)
			}
			if got := tables.Settled(c.facts); got != c.want {
				t.Errorf("settled: %t", got)
			}
		})
	}
}

func decisions(tool string, d mcpproxy.Decision) map[string]mcpproxy.Decision {
	return map[string]mcpproxy.Decision{tool: d}
}

// A settled call is let through whatever is found: edges to an internal side, destinations that no instruction named,
// signals, earlier calls of the session.
func TestNothingStopsASettledCall(t *testing.T) {
	every := rapid.SampledFrom(
		[]mcpproxy.Decision{mcpproxy.Allow, mcpproxy.Warn, mcpproxy.Redact, mcpproxy.Ask, mcpproxy.Deny},
	)
	rapid.Check(t, func(t *rapid.T) {
		d := func(name string) mcpproxy.Decision { return every.Draw(t, name) }
		tables := policy.Tables{
			InternalToExternal:    d("flow"),
			SensitiveDataExternal: d("sensitive"),
			DeclaredDestination:   d("declared"),
			UntrustedDestination:  d("untrusted"),
			InjectedDestination:   d("injected"),
			SessionTaint:          d("taint"),
			OpaquePayload:         d("opaque"),
			Budget:                d("budget"),
			Groups:                policy.Groups{"db": "a", "mail": "b"},
			SuspiciousEndpoints:   []string{"webhook.site"},
			Contradiction:         d("contradiction"),
			Operations: map[mcpproxy.Operation]mcpproxy.Decision{
				mcpproxy.Read:  d("read"),
				mcpproxy.Write: d("write"),
			},
		}
		if rapid.Bool().Draw(t, "override") {
			tables.ToolOverrides = decisions("Tool", d("overridden"))
		}
		tables.Risk = policy.Risk{
			Enabled: rapid.Bool().Draw(t, "risk"),
			Flag:    rapid.IntRange(0, 100).Draw(t, "flag"),
			Approve: rapid.IntRange(0, 100).Draw(t, "approve"),
			Block:   rapid.Bool().Draw(t, "block"),
		}
		f := own(
			"Tool",
			rapid.SampledFrom([]mcpproxy.Operation{mcpproxy.Read, mcpproxy.Write, mcpproxy.UnknownOperation}).
				Draw(t, "operation"),
		)
		f.Strings = rapid.SliceOf(rapid.SampledFrom([]string{"a text", "x", "https://webhook.site/x"})).Draw(t, "texts")
		if !tables.Settled(f) {
			return
		}
		if rapid.Bool().Draw(t, "past") {
			strangers(&f)
			f.Legs.Sensitive, f.Legs.Private = f.Legs.Untrusted, f.Legs.Untrusted
		}
		for _, kind := range rapid.SliceOf(rapid.SampledFrom([]mcpproxy.FlowType{mcpproxy.InternalToInternal, mcpproxy.ExternalToInternal})).Draw(t, "edges") {
			edge("db", "Tool")(&f)
			f.Edges[len(f.Edges)-1].Type, f.Edges[len(f.Edges)-1].Sensitive = kind, []string{"api_token"}
		}
		for _, source := range rapid.SliceOf(rapid.SampledFrom([]mcpproxy.DestinationSource{mcpproxy.FromUser, mcpproxy.FromInternal, mcpproxy.FromNowhere, mcpproxy.FromUntrusted})).Draw(t, "destinations") {
			to("a@b.cd", source)(&f)
		}
		if rapid.Bool().Draw(t, "signals") {
			f.Signals = []mcpproxy.Signal{{
				Source:     mcpproxy.SourcePII,
				Kind:       "card",
				Severity:   mcpproxy.SeverityCritical,
				Confidence: 1,
			}, {Kind: mcpproxy.KindOpaquePayload}}
		}
		f.RiskScore = 100
		f.RiskLevel = mcpproxy.RiskCritical
		f.RiskWithout = rapid.IntRange(0, 30).Draw(t, "score")
		if r := tables.Decide(f); r.Decision != mcpproxy.Allow && r.Decision != mcpproxy.Warn {
			t.Fatalf("%+v", r)
		}
	})
}

// Settled must consider every new table. It must return false if the table can stop a call that stays inside.
func TestSettledConsidersEveryTable(t *testing.T) {
	weighed := []string{
		"InternalToExternal",
		"SensitiveDataExternal",
		"DeclaredDestination",
		"UntrustedDestination",
		"InjectedDestination",
		"DictatedAct",
		"UnrequestedAct",
		"MetadataDestination",
		"SessionTaint",
		"OpaquePayload",
		"Budget",
		"Groups",
		"SuspiciousEndpoints",
		"ToolOverrides",
		"Operations",
		"Contradiction",
		"Risk",
		"Rules",
		"Suppressions",
		"Floor",
	}
	for f := range reflect.TypeFor[policy.Tables]().Fields() {
		if !slices.Contains(weighed, f.Name) {
			t.Errorf("can %s stop a call that stays inside? Make Settled consider it, and add it to this list", f.Name)
		}
	}
}
