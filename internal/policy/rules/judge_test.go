package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/policy/rules"
)

// list returns rules with these conditions. Their names are r0, r1 and so on.
func list(whens ...string) []rules.Rule {
	var out []rules.Rule
	for i, when := range whens {
		out = append(out, rules.Rule{Name: fmt.Sprintf("r%d", i), When: when, Then: mcpproxy.Ask})
	}
	return out
}

func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		whens  []string
		index  int
		column int // 0 if the problem has no single position
		says   string
	}{
		"no expression":                        {[]string{`call.server ==`}, 0, 15, "Syntax error"},
		"a misspelt variable":                  {[]string{`cal.server == "x"`}, 0, 1, "undeclared reference"},
		"a misspelt field":                     {[]string{`call.sever == "x"`}, 0, 5, "undefined field 'sever'"},
		"a misspelt field of a list":           {[]string{`edges.exists(e, e.typ == "x")`}, 0, 18, "undefined field"},
		"types that do not fit":                {[]string{`risk.score == "high"`}, 0, 12, "no matching overload"},
		"a condition that is a text":           {[]string{`call.server`}, 0, 0, "must be true or false"},
		"the second rule":                      {[]string{`true && call.sends`, `call.x`}, 1, 5, "undefined field"},
		"a constant":                           {[]string{`false`}, 0, 0, "never be true"},
		"an expression that is constant":       {[]string{`1 + 1 == 3`}, 0, 0, "never be true"},
		"a constant part":                      {[]string{`call.sends && 1 > 2`}, 0, 0, "never be true"},
		"two servers at once":                  {[]string{`call.server == "a" && call.sends && call.server == "b"`}, 0, 0, "call.server"},
		"equal and not":                        {[]string{`call.server == "a" && call.server != "a"`}, 0, 0, "call.server"},
		"in a list and equal to no item of it": {[]string{`call.tool in ["a", "b"] && !(call.tool in ["b", "a"])`}, 0, 0, "call.tool"},
		"a text on either side":                {[]string{`"a" == call.tool && call.tool == "b"`}, 0, 0, "call.tool"},
		"yes and no":                           {[]string{`session.private_data && !session.private_data`}, 0, 0, "session.private_data"},
		"a score beyond all":                   {[]string{`risk.score > 100`}, 0, 0, "risk.score"},
		"an empty range":                       {[]string{`risk.score > 80 && risk.score < 20`}, 0, 0, "risk.score"},
		"a range that is empty at a side":      {[]string{`risk.score > 80 && risk.score <= 80`}, 0, 0, "risk.score"},
		"all values excluded":                  {[]string{`call.channel != "mcp" && call.channel != "hook" && call.channel != "code"`}, 0, 0, "call.channel"},
		"no alternative can hold":              {[]string{`(call.tool == "a" && call.tool == "b") || risk.score > 200`}, 0, 0, "never be true"},
		"alternatives inside":                  {[]string{`call.sends && (risk.score > 200 || time.hour > 23)`}, 0, 0, "never be true"},
		"a value that the field never has":     {[]string{`call.operation == "delete"`}, 0, 16, "read, write, destructive"},
		"the same in a list":                   {[]string{`edges.exists(e, e.type == "internal")`}, 0, 24, "internal->internal"},
		"a pattern out of the arguments":       {[]string{`call.tool.matches(call.args.x)`}, 0, 0, "must be a constant in the rule"},
		"a pattern out of a list":              {[]string{`call.args.x.exists(p, matches(call.tool, "a" + p))`}, 0, 0, "must be a constant in the rule"},
		"a pattern that is no expression":      {[]string{`call.tool.matches("(")`}, 0, 0, "missing closing )"},
		"a condition too long":                 {[]string{`call.tool == "` + strings.Repeat("x", 10_000) + `"`}, 0, 0, "longer"},
	} {
		t.Run(name, func(t *testing.T) {
			set, problems := rules.Compile(list(c.whens...), rules.Known{})
			if set != nil || len(problems) == 0 {
				t.Fatalf("accepted: %+v", problems)
			}
			p := problems[0]
			if p.Index != c.index || p.Column != c.column || p.Warning || !strings.Contains(p.Message, c.says) {
				t.Errorf("%+v", p)
			}
		})
	}
}

// A rule that never decides is a warning. It can still decide where the rule before it is suppressed.
func TestARuleThatNeverDecidesIsAWarning(t *testing.T) {
	for name, whens := range map[string][2]string{
		"a rule twice":                      {`call.sends`, `call.sends`},
		"a rule after one that matches all": {`true`, `call.sends`},
		"a narrower rule behind":            {`call.server == "slack"`, `call.tool == "post_message" && call.server == "slack"`},
		"one alternative behind all":        {`call.sends || risk.score > 50`, `call.tool == "x" && risk.score > 50`},
		"one of a list behind the list":     {`call.server in ["a", "slack"]`, `call.server == "slack"`},
		"the same of a list":                {`edges.exists(e, e.to == "a")`, `call.sends && edges.exists(e, e.to == "a")`},
	} {
		t.Run(name, func(t *testing.T) {
			set, problems := rules.Compile(list(whens[:]...), rules.Known{})
			if set == nil || set.Len() != 2 || len(problems) != 1 || !problems[0].Warning || problems[0].Index != 1 ||
				!strings.Contains(problems[0].Message, `"r0"`) {
				t.Fatalf("%+v", problems)
			}
		})
	}
	set, _ := rules.Compile(list(`call.server == "slack"`, `call.server == "slack" && call.tool != "x"`), rules.Known{})
	r, ok := set.First(facts(), func(rule string) bool { return rule == policy.RuleUser+"r0" })
	if !ok || r.Rule != policy.RuleUser+"r1" {
		t.Errorf("with the earlier rule suppressed: %+v", r)
	}
}

func TestValidRulesHaveNoProblems(t *testing.T) {
	for _, whens := range [][]string{
		{`call.server == "a"`, `call.server == "b"`},
		{`call.server == "a" && call.sends`, `call.server == "a"`},
		{`call.server == "a" || call.server == "b"`},
		{`risk.score >= 100`}, {`risk.score > 20 && risk.score < 80`}, {`time.hour >= 22 || time.hour < 6`},
		{`call.args.x == "a" && call.args.y == "b"`},
		{`call.server == "b"`, `call.server in ["a", "b"]`},
		{`call.tool == "x" && risk.score > 50`, `call.sends || risk.score > 50`},
		{`call.channel != "mcp" && call.channel != "hook"`},
		{`edges.exists(e, e.to == "a") && edges.exists(e, e.to == "b")`},
		{`signals.exists(s, s.kind == "email" && s.severity == "medium")`},
		{`call.sends`, `true`},
		{`edges.exists(e, e.to == "a")`, `edges.exists(e, e.to == "b")`, `edges.exists(e, e.to == "c") && call.sends`},
		{`call.tool.matches("^a" + "b$")`, `call.args.x.matches("c")`},
		{`1 == 1 && signals.exists(s, s.kind == "a")`, `2 == 2 && signals.exists(s, s.kind == "b")`},
	} {
		set, problems := rules.Compile(list(whens...), rules.Known{})
		if set == nil || len(problems) > 0 || set.Len() != len(whens) {
			t.Errorf("%q: %+v", whens, problems)
		}
	}
}

func TestUnknownNamesAreWarnings(t *testing.T) {
	known := rules.Known{Servers: []string{"slack", "github"}, Tools: []string{"post_message"}}
	for when, says := range map[string]string{
		`call.server == "slak"`:                `"slack"`,
		`call.server in ["github", "slak"]`:    `"slack"`,
		`call.tool == "post_mesage"`:           `"post_message"`,
		`call.server == "github"`:              "",
		`call.server == ""`:                    "",
		`call.tool != "" && call.server != ""`: "",
	} {
		set, problems := rules.Compile(list(when), known)
		if set == nil || (len(problems) == 1) != (says != "") ||
			says != "" &&
				(!problems[0].Warning || problems[0].Column == 0 || !strings.Contains(problems[0].Message, says)) {
			t.Errorf("%s: %+v", when, problems)
		}
	}
}

func TestMistakesInSeveralLinesNameTheLine(t *testing.T) {
	_, problems := rules.Compile(list("call.sends &&\n  call.x"), rules.Known{})
	if len(problems) != 1 || problems[0].Line != 2 || problems[0].Column != 7 {
		t.Errorf("%+v", problems)
	}
}
