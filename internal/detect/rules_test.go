package detect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcpproxy/internal/detect"
	"mcpproxy/internal/detect/detecttest"
	"mcpproxy/internal/text"
)

func TestEveryRuleIsComplete(t *testing.T) {
	cases, err := detecttest.Load("testdata/secrets") // read here too, so that a cached test result depends on the files
	if err != nil {
		t.Fatal(err)
	}
	hits, misses := map[string]int{}, map[string]int{}
	for _, c := range cases {
		if c.Positive {
			hits[c.Rule]++
		} else {
			misses[c.Rule]++
		}
	}
	seen := map[string]bool{}
	for _, r := range detect.Rules() {
		if seen[r.ID] {
			t.Errorf("two rules are called %s", r.ID)
		}
		seen[r.ID] = true
		if r.Category == "" || r.Severity == "" || r.Confidence <= 0 || r.Confidence > 1 {
			t.Errorf("%s is incomplete: %+v", r.ID, r)
		}
		if r.Pattern == "" && (len(r.Names)+len(r.Providers) == 0 || r.Value == "") {
			t.Errorf("%s can find nothing: give it a pattern, or names and a value", r.ID)
		}
		if hits[r.ID] < 2 || misses[r.ID] < 1 {
			t.Errorf(
				"%s has %d hits and %d misses in testdata/secrets: write two and one",
				r.ID,
				hits[r.ID],
				misses[r.ID],
			)
		}
	}
	for _, c := range cases {
		for _, id := range append([]string{c.Rule}, c.Or...) {
			if !seen[id] {
				t.Errorf("%s.txt:%d: no rule is called %s", c.Family, c.Line, id)
			}
		}
	}
}

// RE2 rejects more than 1,000 repetitions; one such rule would disable all rules.
func TestEveryRuleCompiles(t *testing.T) {
	for _, r := range detect.Rules() {
		if err := detect.New([]detect.Rule{r}).Warm(); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
	}
	if err := detector.Warm(); err != nil {
		t.Errorf("all together: %v", err)
	}
}

// Shows: RFC-3.
func TestEveryRuleFindsItsSecrets(t *testing.T) {
	for _, c := range cases {
		if c.Positive {
			t.Run(fmt.Sprintf("%s:%d", c.Rule, c.Line), func(t *testing.T) {
				checkHit(t, c, c.Text, c.Value)
			})
		}
	}
}

// A secret is found whatever text surrounds it.
func TestEveryRuleFindsItsSecretsInContext(t *testing.T) {
	first := map[string]bool{}
	for _, c := range cases {
		if !c.Positive || first[c.Rule] {
			continue
		}
		first[c.Rule] = true
		around := map[string]string{"on a line of its own": "first\n%\nlast", "behind a tab": "\t%"}
		if !samples[c.Rule].named {
			around["in a sentence"], around["in quotes"] = "it is % for now", `say "%"`
			around["behind an equals sign"], around["in parentheses"] = "KEY=%", "f(%)"
		}
		for name, text := range around {
			t.Run(c.Rule+" "+name, func(t *testing.T) {
				checkHit(t, c, strings.ReplaceAll(text, "%", c.Text), "")
			})
		}
	}
}

// checkHit fails the test unless the secret of c is found in in: exactly want, or if want is empty, a value that
// begins with it.
func checkHit(t *testing.T, c detecttest.Case, in, want string) {
	t.Helper()
	_, found := find(t, text.Quote(in))
	var got []string
	for _, f := range found {
		if f.Rule.ID != c.Rule && !slices.Contains(c.Or, f.Rule.ID) {
			continue
		}
		if f.Value == want || want == "" && strings.HasPrefix(f.Value, c.Value) {
			return
		}
		got = append(got, f.Value)
	}
	t.Errorf("%s.txt:%d: %q is not found in %q, but %q", c.Family, c.Line, c.Value, in, got)
}

func TestNoRuleFindsWhatOnlyLooksLikeItsSecret(t *testing.T) {
	for _, c := range cases {
		if c.Positive {
			continue
		}
		if got := values(t, c.Rule, c.Text); len(got) != 0 {
			t.Errorf("%s.txt:%d: %q gave %q", c.Family, c.Line, c.Text, got)
		}
	}
}
