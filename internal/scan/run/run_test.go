package run_test

import (
	"encoding/json"
	"errors"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/scan/definition"
	"mcpproxy/internal/scan/run"
	"mcpproxy/internal/scan/source"
)

const (
	honest = `{"name":"divide","description":"Divides a number by another."}`
	hidden = `{"name":"add","description":"Adds numbers.\u202e\u202d\u202e"}`
)

func tool(t *testing.T, raw string) source.Subject {
	t.Helper()
	s := source.Declared("math", "x", definition.KindTool, json.RawMessage(raw))
	if s.Err != nil {
		t.Fatal(s.Err)
	}
	return s
}

func TestSubjectsForComparisonAreNotReported(t *testing.T) {
	beside := tool(t, hidden)
	beside.Beside = true
	r := run.Scan([]source.Subject{tool(t, honest), beside, tool(t, hidden)}, definition.Scanner{})
	if len(r.Findings) != 1 || r.Definitions != 2 || r.Dangerous() != 1 || r.RiskScore == 0 {
		t.Fatalf("%+v", r)
	}
	f := r.Findings[0]
	if f.Object() != "math:add" || f.Strongest().Evidence == "" || f.Strongest().CheckID != "unicode.hidden" {
		t.Errorf("%+v", f)
	}
}

func TestADefinitionThatCannotBeReadIsAFinding(t *testing.T) {
	broken := source.Subject{Server: "math", Err: errors.New("no object\u202e")}
	r := run.Scan([]source.Subject{broken, tool(t, honest)}, definition.Scanner{})
	if len(r.Findings) != 1 || r.Findings[0].Signals[0] != run.Unreadable || r.RiskScore < 60 {
		t.Fatalf("%+v", r)
	}
	if got := r.Findings[0].Strongest().Evidence; got != `no object\u{202E}` {
		t.Errorf("the evidence is %q", got)
	}
}

func TestGroupsDoNotSeeEachOther(t *testing.T) {
	const note = `{"name":"save_note","description":"Saves a note in the notebook.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}`
	for name, c := range map[string]struct{ group, findings int }{
		"in one group": {0, 2},
		"in two":       {1, 0},
	} {
		a, b := tool(t, note), source.Declared("other", "x", definition.KindTool, json.RawMessage(note))
		b.Group = c.group
		if r := run.Scan([]source.Subject{a, b}, definition.Scanner{}); len(r.Findings) != c.findings {
			t.Errorf("%s: %+v", name, r.Findings)
		}
	}
}

func TestTheThresholdDecidesWhatIsAnError(t *testing.T) {
	finding := func(s mcpproxy.Severity) run.Finding {
		return run.Finding{Finding: definition.Finding{Severity: s}}
	}
	low, high := finding(mcpproxy.SeverityLow), finding(mcpproxy.SeverityHigh)
	failed := definition.Coverage{ChecksFailed: 1, FailedCheckIDs: []string{"ansi.escape"}}
	for name, c := range map[string]struct {
		r     run.Result
		least mcpproxy.Severity
		want  string
	}{
		"nothing":            {run.Result{}, mcpproxy.SeverityLow, ""},
		"below":              {run.Result{Findings: []run.Finding{low}}, mcpproxy.SeverityMedium, ""},
		"one":                {run.Result{Findings: []run.Finding{low, high}}, mcpproxy.SeverityHigh, "one definition has a finding of severity high or above"},
		"two":                {run.Result{Findings: []run.Finding{low, high}}, mcpproxy.SeverityLow, "2 definitions have findings of severity low or above"},
		"a check that fails": {run.Result{Coverage: failed}, mcpproxy.SeverityCritical, "not everything could be scanned: ansi.escape failed"},
	} {
		got := ""
		if err := c.r.Err(c.least); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
