package gate_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
)

// claimed returns a call with claims of the agent and of the server.
func claimed(server, tool, args string, intent mcpproxy.Intent, readOnly bool) *mcpproxy.Call {
	c := call(server, tool, args)
	c.Intent = intent
	if readOnly {
		c.Definition = &mcpproxy.Tool{ReadOnly: &readOnly}
	}
	return c
}

func TestAContradictionIsRecordedWithEveryClaim(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	c := claimed("crm", "delete_customer", `{"id": "7"}`, mcpproxy.Intent{Operation: mcpproxy.Read}, false)
	p := h.gate.Decides(context.Background(), c)
	if !p.Stopped() || p.Verdict.Rule != policy.RuleContradiction {
		t.Fatalf("%+v", p.Verdict)
	}
	r := h.stored(c.ID)
	if len(r.Metadata.Contradictions) != 1 {
		t.Fatalf("%+v", r.Metadata)
	}
	got := r.Metadata.Contradictions[0]
	want := mcpproxy.ContradictionResult{
		Signal1:     risk.AgentIntent,
		Signal2:     risk.NameHeuristic,
		Claim1:      "read",
		Claim2:      "destructive",
		Severity:    80,
		Action:      mcpproxy.Deny,
		Explanation: got.Explanation,
	}
	if got != want || !strings.Contains(got.Explanation, "delete_customer") {
		t.Errorf("%+v", got)
	}
	if p.Verdict.RiskScore == 0 || len(p.Verdict.Signals) == 0 ||
		p.Verdict.Signals[0].Kind != mcpproxy.KindContradiction {
		t.Errorf("%+v", p.Verdict)
	}
}

// The names of the members are those of RFC-004.
// Shows: RFC-11.
func TestTheMembersOfAContradiction(t *testing.T) {
	raw, err := json.Marshal(mcpproxy.ContradictionResult{
		Signal1:     "a",
		Signal2:     "b",
		Claim1:      "c",
		Claim2:      "d",
		Severity:    1,
		Explanation: "e",
		Action:      "deny",
	})
	want := `{"signal1":"a","signal2":"b","claim1":"c","claim2":"d","severity":1,"explanation":"e","action":"deny"}`
	if err != nil || string(raw) != want {
		t.Errorf("%s, %v", raw, err)
	}
}

// Shows: RFC-8.
func TestALyingServerIsReportedForQuarantine(t *testing.T) {
	lie := mcpproxy.Intent{Operation: mcpproxy.Destructive}
	for _, c := range []struct {
		name      string
		configure func(*gate.Settings)
		call      *mcpproxy.Call
		want      string
	}{
		{"it says that it only reads", nil, claimed("storage", "compact", `{}`, lie, true), "storage compact"},
		{"its tool's name reads too", nil, claimed("storage", "get_volume", `{}`, lie, true), ""},
		{"it says nothing", nil, claimed("storage", "compact", `{}`, lie, false), ""},
		{"it is the agent who lies", nil, claimed("storage", "delete_volume", `{}`, mcpproxy.Intent{Operation: mcpproxy.Read}, false), ""},
		{"the user wants a warning only", func(s *gate.Settings) { s.Tables.Contradiction = mcpproxy.Warn }, claimed("storage", "compact", `{}`, lie, true), ""},
		{"the user lets the tool through", func(s *gate.Settings) {
			s.Tables.ToolOverrides = map[string]mcpproxy.Decision{"storage:compact": mcpproxy.Allow}
		}, claimed("storage", "compact", `{}`, lie, true), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, got := defaults(), ""
			s.Tables.Operations = nil
			if c.configure != nil {
				c.configure(&s)
			}
			var h *rig
			s.Quarantine = func(server, tool, reason string) {
				if got = server + " " + tool; reason == "" {
					t.Error("no reason")
				}
				if h.stored(c.call.ID).Decision != mcpproxy.Deny {
					t.Error("it is told before the stop is on disk")
				}
			}
			h = newRig(t, t.TempDir(), s)
			h.gate.Decides(context.Background(), c.call)
			if got != c.want {
				t.Errorf("%q was reported, want %q", got, c.want)
			}
		})
	}
}

func TestContradictionsShowNoSecret(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	c := claimed(
		"tools",
		"lookup_"+gitToken,
		`{"callback_url": "https://`+gitToken+`.collect.example.com/`+gitToken+`", "`+gitToken+`": true, "sql": "DROP TABLE `+gitToken+`", "action": "delete_`+gitToken+`"}`,
		mcpproxy.Intent{Operation: mcpproxy.Read, DataSensitivity: "public", DestinationType: "internal"},
		true,
	)
	p := h.gate.Decides(context.Background(), c)
	if len(p.Verdict.Contradictions) < 4 {
		t.Fatalf("%+v", p.Verdict.Contradictions)
	}
	raw, err := json.Marshal(p.Verdict)
	if err != nil || strings.Contains(strings.ToLower(string(raw)), strings.ToLower(gitToken)) ||
		strings.Contains(string(raw), strings.ToLower(gitToken[4:])) {
		t.Errorf("%s, %v", raw, err)
	}
}

func TestOnlyToolCallsHaveContradictions(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	c := claimed("crm", "delete_customer", `{"force": true}`, mcpproxy.Intent{Operation: mcpproxy.Read}, true)
	c.Kind = mcpproxy.KindPrompt
	if p := h.gate.Decides(context.Background(), c); len(p.Verdict.Contradictions) > 0 {
		t.Errorf("%+v", p.Verdict)
	}
}

func TestInternalDomainsAreBelievedInRecipientsAndURLs(t *testing.T) {
	inside := mcpproxy.Intent{Operation: mcpproxy.Write, DestinationType: "internal"}
	reading := mcpproxy.Intent{Operation: mcpproxy.Read}
	for _, c := range []struct {
		name string
		call *mcpproxy.Call
		want mcpproxy.Decision
	}{
		{"a colleague", claimed("mail", "send_email", `{"to": "ann@corp.example"}`, inside, false), mcpproxy.Warn},
		{"a colleague at a subdomain", claimed("mail", "send_email", `{"to": "ann@eu.corp.example"}`, inside, false), mcpproxy.Warn},
		{"a stranger", claimed("mail", "send_email", `{"to": "ann@corp.example.collect.example.com"}`, inside, false), mcpproxy.Deny},
		{"a colleague and a stranger", claimed("mail", "send_email", `{"to": "ann@corp.example", "bcc": "x@collect.example.com"}`, inside, false), mcpproxy.Deny},
		{"a callback of our own", claimed("crm", "get_customer", `{"callback": "https://in.corp.example/x"}`, reading, false), mcpproxy.Allow},
		{"a callback that only looks like ours", claimed("crm", "get_customer", `{"callback": "https://in.corp.example@collect.example.com/x"}`, reading, false), mcpproxy.Deny},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := defaults()
			s.Classifier.InternalDomains = []string{"corp.example"}
			h := newRig(t, t.TempDir(), s)
			if p := h.gate.Decides(context.Background(), c.call); p.Verdict.Decision != c.want {
				t.Errorf("%s, want %s: %+v", p.Verdict.Decision, c.want, p.Verdict.Contradictions)
			}
		})
	}
}
