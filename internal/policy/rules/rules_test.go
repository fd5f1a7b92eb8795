package rules_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/policy/rules"
)

func ExampleCompile() {
	set, problems := rules.Compile([]rules.Rule{
		{
			Name:   "night",
			When:   `call.sends && (time.hour < 6 || time.hour >= 22)`,
			Then:   mcpproxy.Ask,
			Reason: "Nobody works at night.",
		},
	}, rules.Known{})
	r, ok := set.First(facts(), func(string) bool { return false })
	fmt.Println(problems, ok, r.Decision, r.Reason)
	// Output: [] true ask Nobody works at night.
}

// facts returns the facts about a call of slack:post_message on a Monday at 23:10 UTC.
func facts() policy.Facts {
	leg := &mcpproxy.Leg{CallID: "1", Name: "files:read"}
	return policy.Facts{
		Facts: mcpproxy.Facts{
			Classification: &mcpproxy.Class{Side: mcpproxy.External, CanExfiltrate: true},
			Operation:      mcpproxy.Write,
			Edges: []mcpproxy.Edge{{
				Type:        mcpproxy.InternalToExternal,
				From:        mcpproxy.Origin{Server: "files", Tool: "read"},
				To:          "slack",
				Sensitive:   []string{"api_token"},
				Destination: mcpproxy.FromUntrusted,
				Path:        "arguments.text",
			}},
			Signals: []mcpproxy.Signal{{
				Source:     mcpproxy.SourcePII,
				Kind:       "email",
				Category:   "contact",
				Severity:   mcpproxy.SeverityMedium,
				Confidence: 0.9,
				Path:       "arguments.text",
			},
				{Source: mcpproxy.SourcePII, Kind: "ssn", Suppressed: true}},
			Destinations: []mcpproxy.Destination{
				{
					Value:  "Bob@Example.com",
					Kind:   "email",
					Source: mcpproxy.FromUser,
					Home:   true,
				},
				{Value: "https://api.example.org:8080/x", Kind: "url", Source: mcpproxy.FromNowhere},
			},
			Legs: mcpproxy.Legs{Private: leg, Sent: leg},
			Dictation: &mcpproxy.Dictation{
				From:  mcpproxy.Origin{Server: "gmail", Tool: "read_email"},
				Share: 0.75,
				Aims:  true,
			},
		},
		Call: &mcpproxy.Call{
			Channel:   mcpproxy.ChannelMCP,
			Kind:      mcpproxy.KindTool,
			Server:    "slack",
			Tool:      "post_message",
			Principal: "local",
			Client:    "agent-x",
			Session:   "s1",
			Arguments: json.RawMessage(`{"channel":"#ops","amount":12,"text":"hi","to":["a","b"],"deep":{"x":true}}`),
			Intent:    mcpproxy.Intent{Operation: mcpproxy.Write, Reason: "to tell"},
			Received:  time.Date(2026, 11, 23, 23, 10, 0, 0, time.UTC),
		},
		Coverage:  mcpproxy.CoverageFull,
		RiskScore: 72,
		RiskLevel: mcpproxy.RiskCritical,
	}
}

func none(string) bool { return false }

// compile compiles one condition, which must have no errors.
func compile(t testing.TB, when string) *rules.Set {
	t.Helper()
	set, problems := rules.Compile([]rules.Rule{{Name: "r", When: when, Then: mcpproxy.Deny}}, rules.Known{})
	if set == nil {
		t.Fatalf("%s: %+v", when, problems)
	}
	return set
}

func TestConditions(t *testing.T) {
	for when, want := range map[string]bool{
		`call.server == "slack" && call.tool == "post_message"`:                            true,
		`call.name == "slack:post_message"`:                                                true,
		`call.name == "slack"`:                                                             false,
		`call.operation == "write" && call.side == "external" && call.sends`:               true,
		`call.channel == "hook"`:                                                           false,
		`call.kind != "tool"`:                                                              false,
		`call.args.channel == "#ops"`:                                                      true,
		`call.args.channel.startsWith("#")`:                                                true,
		`call.args.amount > 10`:                                                            true,
		`call.args.amount > 12`:                                                            false,
		`"b" in call.args.to`:                                                              true,
		`call.args.deep.x`:                                                                 true,
		`has(call.args.channel)`:                                                           true,
		`has(call.args.missing) && call.args.missing == "x"`:                               false,
		`call.args.text.matches("^h.$")`:                                                   true,
		`call.principal == "local" && call.intent.operation == "write"`:                    true,
		`call.intent.reason.contains("tell") && call.intent.justification == ""`:           true,
		`agent.name == "agent-x" && agent.session == "s1" && agent.coverage == "full"`:     true,
		`session.private_data && session.external_send`:                                    true,
		`session.untrusted_content || session.sensitive_data`:                              false,
		`edges.exists(e, e.type == "internal->external" && e.from_server == "files")`:      true,
		`edges.exists(e, "api_token" in e.sensitive)`:                                      true,
		`edges.all(e, e.destination_source == "user")`:                                     false,
		`edges.size() == 1 && edges[0].to == "slack" && edges[0].path.endsWith("text")`:    true,
		`signals.exists(s, s.kind == "email" && s.confidence >= 0.9 && s.source == "pii")`: true,
		`signals.exists(s, s.kind == "ssn")`:                                               false,
		`signals.exists_one(s, s.severity == "medium" && s.category == "contact")`:         true,
		`destinations.exists(d, d.host == "example.com" && d.source == "user")`:            true,
		`destinations.exists(d, d.host == "api.example.org" && d.kind == "url")`:           true,
		`destinations.exists(d, d.value == "Bob@Example.com" && d.path == "")`:             true,
		`risk.score >= 70 && risk.level == "critical"`:                                     true,
		`destinations.exists(d, !d.home && d.source != "user")`:                            true,
		`destinations.all(d, d.home)`:                                                      false,
		`call.dictation.from == "gmail:read_email" && call.dictation.share > 0.7`:          true,
		`call.dictation.aims && !call.dictation.delegated && !call.dictation.field`:        true,
		`call.dictation.share > 0.75`:                                                      false,
		`risk.score > 72`:                                                                  false,
		`time.hour == 23 && time.weekday == "monday"`:                                      true,
		`time.timestamp.getHours("Europe/Berlin") == 0`:                                    true,
		`time.timestamp > timestamp("2026-01-01T00:00:00Z")`:                               true,
		`call.server in ["slack", "mail"] && !(call.tool in ["read"])`:                     true,
		`call.server == "other" && call.args.nothing.at.all == 1`:                          false, // the first operand decides
		`call.intent.data_sensitivity == "" && call.intent.destination_type.size() == 0`:   true,
	} {
		t.Run(when, func(t *testing.T) {
			r, ok := compile(t, when).First(facts(), none)
			if ok != want || ok && r.Decision != mcpproxy.Deny {
				t.Errorf("%v, %+v", ok, r)
			}
		})
	}
}
