package policy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

func on(server string) func(*policy.Facts) { return func(f *policy.Facts) { f.Call.Server = server } }

func moves(from string, flow mcpproxy.FlowType) func(*policy.Facts) {
	return func(f *policy.Facts) {
		f.Edges = append(f.Edges, mcpproxy.Edge{From: mcpproxy.Origin{Server: from, Tool: "Read"}, Type: flow})
	}
}

func TestGroups(t *testing.T) {
	groups := policy.Groups{
		"vault": "internal",
		"db":    "internal",
		"slack": "outside",
		"crm":   "sales",
	}
	inside := mcpproxy.InternalToInternal
	cases := []struct {
		name  string
		facts policy.Facts
		rule  string
	}{
		{"a call without a flow passes", facts(on("slack")), ""},
		{
			"data between strict groups is refused",
			facts(on("slack"), moves("vault", mcpproxy.InternalToExternal)),
			"groups.internal",
		},
		{"whatever their sides", facts(on("crm"), moves("vault", inside)), "groups.internal"},
		{"from outside, too", facts(on("db"), moves("slack", mcpproxy.ExternalToInternal)), "groups.outside"},
		{"data within a group passes", facts(on("db"), moves("vault", inside)), ""},
		{"data of a server without a group passes", facts(on("db"), moves("jira", inside)), ""},
		{"data to a server without a group passes", facts(on("jira"), moves("vault", inside)), ""},
		{"an agent's own tool is in no group", facts(on(""), moves("vault", inside)), ""},
		{"an agent's own data is in no group", facts(on("db"), moves("", inside)), ""},
		{
			"one flow of several is enough",
			facts(on("db"), moves("jira", inside), moves("vault", inside), moves("crm", inside)),
			"groups.sales",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tables := policy.Tables{
				Groups:        groups,
				ToolOverrides: map[string]mcpproxy.Decision{"slack": mcpproxy.Allow, "db": mcpproxy.Allow},
			}
			got := tables.Decide(c.facts)
			if (got.Decision == mcpproxy.Deny) != (c.rule != "") || c.rule != "" && got.Rule != c.rule {
				t.Fatalf("%+v, want %q", got, c.rule)
			}
			v := mcpproxy.Verdict{Decision: got.Decision, Rule: got.Rule}
			if c.rule != "" &&
				(v.Code() != mcpproxy.CodeGroupDenied || !strings.HasPrefix(got.Reason, "GROUP_POLICY_DENIED: ")) {
				t.Errorf("code %q, reason %q", v.Code(), got.Reason)
			}
		})
	}
}

func TestOpeningAGroupLetsItsDataMove(t *testing.T) {
	tables := policy.Tables{Groups: policy.Groups{"vault": "internal", "slack": "outside"}}
	f := facts(moves("vault", mcpproxy.InternalToInternal))
	remedy := policy.RemedyFor(record(tables, f, tables.Decide(f)))
	var config struct {
		Groups map[string]struct {
			Isolation string `json:"isolation"`
		} `json:"groups"`
	}
	dec := json.NewDecoder(strings.NewReader(remedy.JSON))
	dec.DisallowUnknownFields()
	err := dec.Decode(&config)
	if err != nil || config.Groups["internal"].Isolation != "open" || len(config.Groups) != 1 {
		t.Fatalf("%v: %s", err, remedy.JSON)
	}
	delete(tables.Groups, "vault")
	if got := tables.Decide(f); got.Decision != mcpproxy.Allow || remedy.Meaning == "" {
		t.Errorf("%+v after %+v", got, remedy)
	}
}
