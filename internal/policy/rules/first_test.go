package rules_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/policy/rules"
)

func TestTheFirstRuleThatMatchesDecides(t *testing.T) {
	set, problems := rules.Compile([]rules.Rule{
		{Name: "other", When: `call.server == "mail"`, Then: mcpproxy.Deny},
		{
			Name:   "mine",
			When:   `call.server == "slack"`,
			Then:   mcpproxy.Allow,
			Reason: "It is ours.",
		},
		{Name: "rest", When: `true`, Then: mcpproxy.Deny},
	}, rules.Known{})
	if problems != nil {
		t.Fatal(problems)
	}
	r, ok := set.First(facts(), none)
	want := (policy.Ruling{Decision: mcpproxy.Allow, Rule: policy.RuleUser + "mine", Reason: "It is ours."})
	if !ok || r != want {
		t.Errorf("%+v", r)
	}
	r, ok = set.First(facts(), func(rule string) bool { return rule == policy.RuleUser+"mine" })
	if !ok || r.Rule != policy.RuleUser+"rest" || !strings.Contains(r.Reason, `"rest"`) {
		t.Errorf("with the rule skipped: %+v", r)
	}
}

func TestARuleThatCannotBeEvaluatedAsks(t *testing.T) {
	long := facts()
	long.Call.Arguments = json.RawMessage(`{"x":"` + strings.Repeat("a", 1<<20) + `"}`)
	for name, c := range map[string]struct {
		when  string
		facts policy.Facts
		says  string
	}{
		"an argument that is not there": {`call.args.missing == "x"`, facts(), "missing"},
		"an argument of another type":   {`call.args.amount.startsWith("x")`, facts(), "could not be evaluated"},
		"arguments that are too long":   {`call.args.x == "a"`, long, "1 MB"},
		"a rule that costs too much":    {`[1,2,3,4,5,6,7,8,9].all(a, [1,2,3,4,5,6,7,8,9].all(b, [1,2,3,4,5,6,7,8,9].all(c, [1,2,3,4,5,6,7,8,9].all(d, [1,2,3,4,5,6,7,8,9].all(e, a+b+c+d+e < risk.score)))))`, facts(), "cost"},
		"an answer that is neither":     {`call.args.channel`, facts(), "neither"},
		"an index that is not there":    {`edges[7].to == "x"`, facts(), "could not be evaluated"},
	} {
		t.Run(name, func(t *testing.T) {
			r, ok := compile(t, c.when).First(c.facts, none)
			if ok || r.Decision != mcpproxy.Ask || r.Rule != policy.RuleUser+"r" ||
				!strings.Contains(r.Reason, c.says) ||
				len(r.Reason) > 400 {
				t.Errorf("%v %+v", ok, r)
			}
		})
	}
}

func TestRulesAfterOneThatCannotBeEvaluatedStillApply(t *testing.T) {
	broken := rules.Rule{Name: "broken", When: `call.args.missing == "x"`, Then: mcpproxy.Allow}
	for name, c := range map[string]struct {
		behind  []rules.Rule
		rule    string
		settled bool
	}{
		"nothing":             {nil, "broken", false},
		"what does not hold":  {[]rules.Rule{{Name: "other", When: `call.server == "mail"`, Then: mcpproxy.Deny}}, "broken", false},
		"what is stricter":    {[]rules.Rule{{Name: "rest", When: `true`, Then: mcpproxy.Deny}}, "rest", true},
		"what is milder":      {[]rules.Rule{{Name: "rest", When: `true`, Then: mcpproxy.Allow}}, "broken", true},
		"another such rule":   {[]rules.Rule{{Name: "too", When: `call.args.lost > 1`, Then: mcpproxy.Deny}}, "broken", false},
		"one such, and a ban": {[]rules.Rule{{Name: "too", When: `call.args.lost > 1`}, {Name: "rest", When: `call.sends`, Then: mcpproxy.Deny}}, "rest", true},
	} {
		t.Run(name, func(t *testing.T) {
			set, problems := rules.Compile(append([]rules.Rule{broken}, c.behind...), rules.Known{})
			if set == nil {
				t.Fatal(problems)
			}
			r, settled := set.First(facts(), none)
			if r.Rule != policy.RuleUser+c.rule || settled != c.settled || !r.Decision.Stops() {
				t.Errorf("%+v, settled %t", r, settled)
			}
		})
	}
}

// The cost is bounded, however long the arguments are and wherever a rule reads them.
func TestTheCostOfARuleThatReadsLongArgumentsIsBounded(t *testing.T) {
	f := facts()
	f.Call.Arguments = json.RawMessage(`{"body":"` + strings.Repeat("a", 1<<20-100) + `"}`)
	for range 100 {
		f.Signals = append(f.Signals, mcpproxy.Signal{Kind: "email"})
	}
	for name, when := range map[string]string{
		"in what is asked of each item": `signals.exists(s, call.args.body.matches("(a|b)+c"))`,
		"in a test of each item":        `signals.all(s, s.kind == "email" && !call.args.body.contains("c"))`,
	} {
		r, settled := compile(t, when).First(f, none)
		if settled || r.Decision != mcpproxy.Ask || !strings.Contains(r.Reason, "cost") {
			t.Errorf("%s: %+v, settled %t", name, r, settled)
		}
	}
}

func TestNoRulesDecideNothing(t *testing.T) {
	set, problems := rules.Compile(nil, rules.Known{})
	if r, ok := set.First(facts(), none); ok || problems != nil {
		t.Errorf("%+v %v", r, problems)
	}
}

func TestASetIsSafeForManyAtOnce(t *testing.T) {
	set := compile(t, `call.args.text.matches("^h") && edges.exists(e, e.to == "slack")`)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				if r, ok := set.First(facts(), none); !ok || r.Decision != mcpproxy.Deny {
					t.Errorf("%+v", r)
				}
			}
		})
	}
	all.Wait()
}

// The most expensive case for a call: twenty rules, none of which matches.
func BenchmarkTwentyRules(b *testing.B) {
	whens := []string{}
	for i := range 5 {
		whens = append(whens,
			fmt.Sprintf(`call.server == "server-%d" && call.tool in ["a", "b", "c"]`, i),
			fmt.Sprintf(`call.sends && risk.score > %d && session.untrusted_content`, 80+i),
			fmt.Sprintf(`edges.exists(e, e.type == "internal->external" && e.from_server == "x%d")`, i),
			fmt.Sprintf(`has(call.args.channel) && call.args.channel.startsWith("#x%d")`, i))
	}
	set, problems := rules.Compile(list(whens...), rules.Known{})
	if set == nil {
		b.Fatal(problems)
	}
	f := facts()
	for b.Loop() {
		if r, ok := set.First(f, none); ok {
			b.Fatal(r)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		if set, p := rules.Compile(list(`call.server == "a" && call.sends`), rules.Known{}); set == nil {
			b.Fatal(p)
		}
	}
}

func FuzzCompile(f *testing.F) {
	f.Add(`call.server == "a" && risk.score > 5`)
	f.Add(`edges.exists(e, e.type == "internal->external") || !(call.tool in ["a"])`)
	f.Add(`call.args.x.y[0] == time.timestamp.getHours("UTC")`)
	f.Fuzz(func(t *testing.T, when string) {
		set, problems := rules.Compile(list(when), rules.Known{Servers: []string{"a"}})
		for _, p := range problems {
			if p.Message == "" || p.Index != 0 {
				t.Errorf("%+v", p)
			}
		}
		if set == nil {
			return
		}
		first, ok := set.First(facts(), none)
		again, also := set.First(facts(), none)
		if first != again || ok != also {
			t.Errorf("%+v, and then %+v", first, again)
		}
	})
}
