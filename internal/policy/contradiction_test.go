package policy_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// contradicted adds contradictions with the given proposed actions.
func contradicted(actions ...mcpproxy.Decision) func(*policy.Facts) {
	return func(f *policy.Facts) {
		for _, a := range actions {
			f.Contradictions = append(
				f.Contradictions,
				mcpproxy.ContradictionResult{Action: a, Explanation: string(a) + " is deserved."},
			)
		}
	}
}

func TestTheMatrixAndTheConfigurationDecideAboutContradictions(t *testing.T) {
	const allow, warn, ask, deny = mcpproxy.Allow, mcpproxy.Warn, mcpproxy.Ask, mcpproxy.Deny
	for _, c := range []struct {
		name       string
		configured mcpproxy.Decision
		row, want  mcpproxy.Decision
	}{
		{"deny follows the row: deny", deny, deny, deny}, {"deny follows the row: ask", deny, ask, ask}, {"deny follows the row: warn", deny, warn, warn},
		{"ask is the most: deny", ask, deny, ask}, {"ask is the most: ask", ask, ask, ask}, {"ask is the most: warn", ask, warn, warn},
		{"warn is the most: deny", warn, deny, warn}, {"warn is the most: ask", warn, ask, warn}, {"warn is the most: warn", warn, warn, warn},
		{"allow turns it off: deny", allow, deny, allow}, {"allow turns it off: ask", allow, ask, allow}, {"allow turns it off: warn", allow, warn, allow},
	} {
		t.Run(c.name, func(t *testing.T) {
			tables := standard()
			tables.Contradiction = c.configured
			got := tables.Decide(facts(contradicted(c.row)))
			if got.Decision != c.want || (got.Rule == policy.RuleContradiction) != (c.want != allow) {
				t.Errorf("%+v, want %s", got, c.want)
			}
		})
	}
}

func TestTheStrictestContradictionDecidesAndCountsTheOthers(t *testing.T) {
	tables := standard()
	got := tables.Decide(facts(contradicted(mcpproxy.Warn, mcpproxy.Deny, mcpproxy.Ask)))
	want := (policy.Ruling{Decision: mcpproxy.Deny, Rule: policy.RuleContradiction, Reason: "deny is deserved. (2 more)"})
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestTheStricterOfContradictionAndOperationDecides(t *testing.T) {
	tables := standard()
	if got := tables.Decide(
		facts(contradicted(mcpproxy.Deny), operation(mcpproxy.Destructive)),
	); got.Rule != policy.RuleContradiction {
		t.Errorf("%+v", got)
	}
	if got := tables.Decide(
		facts(contradicted(mcpproxy.Ask), operation(mcpproxy.Destructive)),
	); got.Rule != policy.RuleOperation+"destructive" {
		t.Errorf("%+v", got)
	}
}

func TestAContradictionNeverMakesAnAnswerMilder(t *testing.T) {
	decisions := rapid.SampledFrom([]mcpproxy.Decision{mcpproxy.Allow, mcpproxy.Warn, mcpproxy.Ask, mcpproxy.Deny})
	rapid.Check(t, func(t *rapid.T) {
		tables := standard()
		tables.Contradiction = decisions.Draw(t, "configured")
		f := facts(
			operation(
				rapid.SampledFrom([]mcpproxy.Operation{mcpproxy.Read, mcpproxy.Destructive}).Draw(t, "operation"),
			),
		)
		if rapid.Bool().Draw(t, "edge") {
			edge("db", "slack")(&f)
		}
		before := tables.Decide(f)
		rows := rapid.SliceOf(decisions).Draw(t, "rows")
		contradicted(rows...)(&f)
		after := tables.Decide(f)
		if after.Decision.Rank() < before.Decision.Rank() {
			t.Fatalf("%+v became %+v", before, after)
		}
		if after.Rule == policy.RuleContradiction &&
			(after.Decision.Rank() > tables.Contradiction.Rank() || !slices.ContainsFunc(rows, func(d mcpproxy.Decision) bool { return d.Rank() >= after.Decision.Rank() })) {
			t.Fatalf("%+v is more than %s and %v", after, tables.Contradiction, rows)
		}
	})
}
