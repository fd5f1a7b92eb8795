package policy_test

import (
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// always is a set with one rule that holds for every call.
type always policy.Ruling

func (a always) First(_ policy.Facts, skip func(string) bool) (policy.Ruling, bool) {
	if skip(a.Rule) {
		return policy.Ruling{}, false
	}
	return policy.Ruling(a), true
}

// writing returns tables that decide about calls that write.
func writing(d mcpproxy.Decision) policy.Tables {
	return policy.Tables{Operations: map[mcpproxy.Operation]mcpproxy.Decision{mcpproxy.Write: d}}
}

// written returns the facts of a call that writes.
func written(server string) policy.Facts {
	return policy.Facts{
		Facts: mcpproxy.Facts{Operation: mcpproxy.Write, Classification: &mcpproxy.Class{Side: mcpproxy.Internal}},
		Call:  &mcpproxy.Call{Kind: mcpproxy.KindTool, Server: server, Tool: "t"},
	}
}

func TestNoDecisionIsWeakerThanTheFloor(t *testing.T) {
	rule := func(name string, d mcpproxy.Decision) always {
		return always{Decision: d, Rule: policy.RuleUser + name, Reason: "Because."}
	}
	const key = policy.RuleOperation + "write"
	for name, c := range map[string]struct {
		floor func(*policy.Floor)
		own   func(*policy.Tables)
		want  policy.Ruling
		by    string
	}{
		"a table of the bundle": {
			floor: func(f *policy.Floor) { *f.Tables = writing(mcpproxy.Deny) },
			want:  policy.Ruling{Decision: mcpproxy.Deny, Rule: key, Reason: "bundle acme v7 denies this: rule " + key},
			by:    "acme v7",
		},
		"a table of the bundle and a rule that allows": {
			floor: func(f *policy.Floor) { *f.Tables = writing(mcpproxy.Ask) },
			own:   func(t *policy.Tables) { t.Rules = rule("mine", mcpproxy.Allow) },
			want:  policy.Ruling{Decision: mcpproxy.Ask, Rule: key, Reason: "asks a person about this"},
			by:    "acme v7",
		},
		"a rule of the bundle and an override that allows": {
			floor: func(f *policy.Floor) { f.Tables.Rules = rule("theirs", mcpproxy.Deny) },
			own:   func(t *policy.Tables) { t.ToolOverrides = map[string]mcpproxy.Decision{"s": mcpproxy.Allow} },
			want:  policy.Ruling{Decision: mcpproxy.Deny, Rule: policy.RuleUser + "theirs", Reason: "denies this: rule theirs: Because."},
			by:    "acme v7",
		},
		"a rule of the bundle and a suppression of it": {
			floor: func(f *policy.Floor) { f.Tables.Rules = rule("theirs", mcpproxy.Deny) },
			own:   func(t *policy.Tables) { t.Suppressions = []policy.Suppression{{Rule: "theirs", Server: "s"}} },
			want:  policy.Ruling{Decision: mcpproxy.Deny, Rule: policy.RuleUser + "theirs", Reason: "denies this"},
			by:    "acme v7",
		},
		"a suppression of the bundle's own": {
			floor: func(f *policy.Floor) {
				*f.Tables = writing(mcpproxy.Deny)
				f.Tables.Suppressions = []policy.Suppression{{Rule: key, Server: "s"}}
			},
			want: policy.Ruling{Decision: mcpproxy.Allow},
		},
		"a stricter rule of the user's": {
			floor: func(f *policy.Floor) { f.Tables.Rules = rule("theirs", mcpproxy.Warn) },
			own:   func(t *policy.Tables) { t.Rules = rule("mine", mcpproxy.Deny) },
			want:  policy.Ruling{Decision: mcpproxy.Deny, Rule: policy.RuleUser + "mine", Reason: "Because."},
		},
		"a bundle that allows and a user who denies": {
			floor: func(f *policy.Floor) { f.Tables.Rules = rule("theirs", mcpproxy.Allow) },
			own: func(t *policy.Tables) {
				*t = policy.Tables{Operations: writing(mcpproxy.Deny).Operations, Floor: t.Floor}
			},
			want: policy.Ruling{Decision: mcpproxy.Deny, Rule: key, Reason: "the policy for such tools is deny"},
		},
		"a server that is not listed": {
			floor: func(f *policy.Floor) { f.Limited, f.Servers = true, []string{"other"} },
			want:  policy.Ruling{Decision: mcpproxy.Deny, Rule: policy.RuleBundleServers, Reason: "The server s is not among"},
			by:    "acme v7",
		},
		"a server that is listed": {
			floor: func(f *policy.Floor) { f.Limited, f.Servers = true, []string{"s"} },
			want:  policy.Ruling{Decision: mcpproxy.Allow},
		},
		"a machine that is closed": {
			floor: func(f *policy.Floor) { f.Closed = "It expired." },
			own:   func(t *policy.Tables) { t.Rules = rule("mine", mcpproxy.Allow) },
			want:  policy.Ruling{Decision: mcpproxy.Deny, Rule: policy.RuleBundle, Reason: "It expired."},
			by:    "acme v7",
		},
	} {
		floor := &policy.Floor{Label: "acme v7", Tables: &policy.Tables{}}
		c.floor(floor)
		tables := &policy.Tables{Floor: floor}
		if c.own != nil {
			c.own(tables)
		}
		f := written("s")
		got := tables.Decide(f)
		if got.Decision != c.want.Decision || got.Rule != c.want.Rule || !strings.Contains(got.Reason, c.want.Reason) {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
		if by := tables.FromBundle(f, got); by != c.by {
			t.Errorf("%s: it is from the bundle %q, want %q", name, by, c.by)
		}
		if tables.Settled(f) {
			t.Errorf("%s: a call is settled without the bundle's rules", name)
		}
	}
}

func TestRulesAreEvaluatedInTurnUntilOneSettlesTheCall(t *testing.T) {
	first := always{Decision: mcpproxy.Warn, Rule: "a"}
	second := always{Decision: mcpproxy.Deny, Rule: "b"}
	both := policy.InTurn{Before: first, After: second}
	if r, settled := both.First(written("s"), func(string) bool { return false }); !settled || r.Rule != "a" {
		t.Errorf("got %+v", r)
	}
	if r, settled := both.First(written("s"), func(rule string) bool { return rule == "a" }); !settled || r.Rule != "b" {
		t.Errorf("with the first skipped got %+v", r)
	}
}

func TestTheGroupsOfTheBundleAndOfTheUserBothApply(t *testing.T) {
	tables := &policy.Tables{
		Groups: policy.Groups{"a": "one", "b": "two"},
		Floor:  &policy.Floor{Tables: &policy.Tables{Groups: policy.Groups{"a": "x", "c": "y"}}},
	}
	wall := tables.Wall("a")
	if wall == nil || !wall("b") || !wall("c") || wall("d") {
		t.Error("one of the two walls is missing")
	}
	if tables.Wall("d") != nil || tables.Wall("b") == nil || tables.Wall("c") == nil {
		t.Error("a wall is missing, or it separates servers of the same group")
	}
}
