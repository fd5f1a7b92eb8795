package explain_test

import (
	"fmt"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/explain"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
	"mcpproxy/internal/trust"
)

func ExampleOf() {
	e := explain.Of(&mcpproxy.Record{ID: "01A", Rule: policy.RuleKill, Decision: mcpproxy.Deny})
	fmt.Println(e.Decision, e.Rule, e.Allow == "")
	// Output: deny security.kill_switch true
}

func TestThePartsAreThoseOfTheSignalsThatMadeTheScore(t *testing.T) {
	of := func(kind, path string, s mcpproxy.Severity) mcpproxy.Signal {
		return mcpproxy.Signal{
			Source:     mcpproxy.SourcePII,
			Kind:       kind,
			Severity:   s,
			Confidence: 1,
			Path:       path,
		}
	}
	call, result := of(
		"email",
		"arguments.text",
		mcpproxy.SeverityLow,
	), of(
		"aws_access_key",
		"response.content[0].text",
		mcpproxy.SeverityCritical,
	)
	for name, c := range map[string]struct {
		score int
		want  string
	}{"of the call": {risk.Score([]mcpproxy.Signal{call}), "email"}, "of the result": {risk.Score([]mcpproxy.Signal{result}), "aws_access_key"}} {
		r := &mcpproxy.Record{RiskScore: c.score, Metadata: mcpproxy.Metadata{Facts: mcpproxy.Facts{Signals: []mcpproxy.Signal{call, result}}}}
		if parts := explain.Of(r).Parts; len(parts) != 1 || parts[0].Kind != c.want {
			t.Errorf("%s: %+v", name, parts)
		}
	}
}

func TestAQuarantineNamesItsCommandOnlyWhereTheReasonDoes(t *testing.T) {
	r := &mcpproxy.Record{
		Rule:       policy.RuleQuarantine,
		ServerName: "notes",
		ToolName:   "read_note",
		Metadata:   mcpproxy.Metadata{Kind: mcpproxy.KindTool},
	}
	if run := explain.Approving(r); run != "" {
		t.Errorf("%q", run)
	}
	want := trust.Command("approve", trust.Key{Server: "notes", Kind: trust.Tool, Name: "read_note"}, "")
	program := trust.Command("approve", trust.Key{Server: "notes", Kind: trust.ProgramKind}, "")
	r.Metadata.Reason = "Its program has changed. Run: " + program
	if run := explain.Approving(r); run != program {
		t.Errorf("%q, want %q", run, program)
	}
	r.Metadata.Reason = "It is new. Look at it, then run: " + want
	if run := explain.Approving(r); run != want {
		t.Errorf("%q, want %q", run, want)
	}
}
