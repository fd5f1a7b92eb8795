package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/config"
	"mcpproxy/internal/explain"
	"mcpproxy/internal/policy"
)

// Explain also describes records that are not about a call, and calls that passed, correctly.
func TestRecordsOfAllKindsAreExplained(t *testing.T) {
	noticed := mcpproxy.Metadata{
		Facts: mcpproxy.Facts{
			Signals: []mcpproxy.Signal{{
				Kind:       "volume",
				Severity:   mcpproxy.SeverityLow,
				Confidence: 1,
				Evidence:   "much",
			}},
		},
		Ruled: &mcpproxy.Ruled{Rule: policy.RuleTaint, Also: []string{policy.RuleExternal}},
	}
	for name, c := range map[string]struct {
		r           mcpproxy.Record
		want, never []string
	}{
		"an event that could not be read": {mcpproxy.Record{
			Type:      mcpproxy.RecordHookEvaluation,
			Rule:      policy.RuleFailOpen,
			Decision:  mcpproxy.Warn,
			RiskLevel: mcpproxy.RiskNone,
		},
			[]string{"hook_evaluation warn", "could not be read"}, []string{"suppressions", " for  alone", "stop the call"}},
		"one that was refused for it": {mcpproxy.Record{Type: mcpproxy.RecordHookEvaluation, Rule: policy.RuleFailOpen, Decision: mcpproxy.Deny},
			[]string{`"fail_open": true`}, []string{"suppressions"}},
		"a call that passed": {mcpproxy.Record{
			ServerName: "chat",
			ToolName:   "post",
			Rule:       policy.RuleTaint,
			Decision:   mcpproxy.Warn,
			Metadata:   noticed,
		},
			[]string{"chat:post warn", "It was also noticed by " + policy.RuleExternal, "The call passed", "the 2 rules that reported the call", "confidence 1.00 much"}, []string{"stopped", "stop the call", ", at "}},
		"a call that did not": {mcpproxy.Record{
			ServerName: "chat",
			ToolName:   "post",
			Rule:       policy.RuleTaint,
			Decision:   mcpproxy.Deny,
			RiskLevel:  mcpproxy.RiskHigh,
			RiskScore:  20,
			Metadata:   noticed,
		},
			[]string{"It would also be stopped by " + policy.RuleExternal, "the 2 rules that stop the call", "The level is high: the worst movement of data raises it", "0     none"}, []string{"passed"}},
		"nothing but a rule": {mcpproxy.Record{Rule: policy.RuleTaint, Decision: mcpproxy.Deny}, nil, []string{"suppressions", "for  alone"}},
		"no call":            {mcpproxy.Record{Type: mcpproxy.RecordSystemStart}, []string{"system_start  0001"}, []string{"risk"}},
	} {
		var out bytes.Buffer
		e := explain.Of(&c.r)
		printExplanation(&out, e, "mcp_config.json")
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: %q is missing in\n%s", name, want, &out)
			}
		}
		for _, never := range c.never {
			if strings.Contains(out.String(), never) {
				t.Errorf("%s: %q stands in\n%s", name, never, &out)
			}
		}
		if err := accepted(t, e.Allow); err != nil {
			t.Errorf("%s: what is to be put into the configuration is refused: %v\n%s", name, err, e.Allow)
		}
	}
}

func accepted(t *testing.T, text string) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mcp_config.json")
	if err := os.WriteFile(path, fmt.Append(nil, text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := config.Load(t.Context(), path)
	return err
}

// A class that no rule determines is called unknown, and the explanation says how the configuration treats it.
// Shows: FR-001.
func TestAnUnknownServerIsCalledUnknown(t *testing.T) {
	for want, c := range map[string]mcpproxy.Class{
		"unknown, so it counts as internal (security.classification.default_unknown)": {
			Side:       mcpproxy.Internal,
			Method:     mcpproxy.ByHeuristic,
			Confidence: 0.3,
			Unknown:    true,
		},
		"internal (by config, confidence 1.00)": {
			Side:       mcpproxy.Internal,
			Method:     mcpproxy.ByConfig,
			Confidence: 1,
		},
	} {
		if got := standing(&c); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
