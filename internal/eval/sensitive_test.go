package eval

import (
	"encoding/base64"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpproxy"
	"mcpproxy/internal/detect"
)

// badges returns a detector of badge numbers such as badge-123456.
func badges() *detect.Detector {
	return detect.New([]detect.Rule{
		{
			ID:         "badge",
			Category:   "api_token",
			Severity:   mcpproxy.SeverityLow,
			Confidence: 1,
			Pattern:    `\b(badge-[0-9]{6}|badge-example)\b`,
		},
	})
}

func sensitive(t *testing.T, o Options, lines ...string) *Report {
	t.Helper()
	o.Inputs, o.Stdin = []string{"-"}, strings.NewReader(strings.Join(lines, "\n"))
	r, err := Sensitive(o, badges())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFindingsAndFalseAlarmsAreCounted(t *testing.T) {
	for _, tt := range []struct {
		name, line   string
		found, alarm int
	}{
		{"a positive without a value, something found", `{"text":"my badge-123456","label":"B","positive":true}`, 1, 0},
		{"a positive without a value, nothing found", `{"text":"my badge","label":"B","positive":true}`, 0, 0},
		{"a positive with null values", `{"text":"my badge-123456","label":"B","positive":true,"value":null,"values":null}`, 1, 0},
		{"its value found", `{"text":"my badge-123456","label":"B","positive":true,"value":"badge-123456"}`, 1, 0},
		{"a part of its value found", `{"text":"my badge-123456","label":"B","positive":true,"value":"my badge-12"}`, 1, 0},
		{"another value found", `{"text":"my badge-123456, no 77","label":"B","positive":true,"value":"77"}`, 0, 0},
		{"a value that touches what is found", `{"text":"my badge-123456","label":"B","positive":true,"value":"my "}`, 0, 0},
		{"one of its values found", `{"text":"77 or badge-123456","label":"B","positive":true,"values":["77","badge-123456"]}`, 1, 0},
		{"only a value out of scope found", `{"text":"77 or badge-123456","label":"B|PERSON","positive":true,"spans":[{"entity":"PERSON","value":"badge-123456"},{"entity":"B","value":"77"}]}`, 0, 0},
		{"a value in scope found", `{"text":"77 or badge-123456","label":"B|PERSON","positive":true,"spans":[{"entity":"PERSON","value":"77"},{"entity":"B","value":"badge-123456"}]}`, 1, 0},
		{"an example is also found", `{"text":"badge-example","label":"B","positive":true}`, 1, 0},
		{"a negative, nothing found", `{"text":"my badge","label":"B","positive":false}`, 0, 0},
		{"a negative, something found", `{"text":"my badge-123456","label":"B","positive":false}`, 0, 1},
		{"an example is no false alarm", `{"text":"badge-example","label":"B","positive":false}`, 0, 0},
		{"a value below base64 is found as it reads", `{"text":"see ` + base64.StdEncoding.EncodeToString([]byte("the number is badge-123456")) + `","label":"B","positive":true,"value":"badge-123456"}`, 1, 0},
		{"another value below base64 is not", `{"text":"see ` + base64.StdEncoding.EncodeToString([]byte("the number is badge-123456")) + `","label":"B","positive":true,"value":"number"}`, 0, 0},
		{"full-width letters are read", `{"text":"ｂａｄｇｅ-123456","label":"B","positive":true,"value":"ｂａｄｇｅ-123456"}`, 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := sensitive(t, Options{}, tt.line).Metrics
			if m.Found != tt.found || m.FalseAlarms != tt.alarm {
				t.Errorf("found %d, alarms %d; want %d, %d", m.Found, m.FalseAlarms, tt.found, tt.alarm)
			}
		})
	}
}

func TestRowsOutOfScopeAndWeakRowsAreNotCounted(t *testing.T) {
	lines := []string{
		`{"text":"Ann","label":"PERSON","positive":true}`,
		`{"text":"Ann, 7, Rome","label":"PERSON|AGE|GPE","positive":true}`,
		`{"text":"badge-123456 of Ann","label":"PERSON|BADGE","positive":true}`,
		`{"text":"badge-1","label":"BADGE","positive":false,"weak":true}`,
		`{"text":"nothing","label":"","positive":false}`,
	}
	r := sensitive(t, Options{}, lines...)
	if r.Metrics.Positives != 1 || r.Metrics.Negatives != 1 || r.Weak != 1 {
		t.Errorf("%+v, %d weak", r.Metrics, r.Weak)
	}
	want := &LeftOut{Rows: 2, Labels: map[string]int{"PERSON": 2, "AGE": 1, "GPE": 1}}
	if diff := cmp.Diff(want, r.OutOfScope); diff != "" {
		t.Error(diff)
	}
	if _, ok := r.ByCategory["PERSON"]; ok || len(r.ByCategory) != 2 {
		t.Errorf("categories: %v", r.ByCategory)
	}
	if r := sensitive(t, Options{Weak: true}, lines...); r.Metrics.Negatives != 2 || r.Weak != 0 {
		t.Errorf("with weak rows: %+v", r.Metrics)
	}
}

func TestTheScopeIsASortedListOfLabels(t *testing.T) {
	if !slices.IsSorted(outOfScope) {
		t.Error("outOfScope is searched and must be sorted")
	}
	for _, label := range []string{"person", "Zip-Code", "DATE_TIME"} {
		if isInScope(label) {
			t.Errorf("%s is in scope", label)
		}
	}
	if !isInScope("CREDIT_CARD") || !isInScope("github-pat") {
		t.Error("secrets are out of scope")
	}
}

func TestTheReportDoesNotDependOnTheNumberOfWorkers(t *testing.T) {
	var lines []string
	for i := range 300 {
		lines = append(
			lines,
			`{"text":"badge-`+strings.Repeat(
				"1",
				5+i%2,
			)+`","label":"L`+string(
				rune('a'+i%7),
			)+`","positive":`+[]string{"true", "false"}[i%3%2]+`}`,
		)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one := sensitive(t, Options{}, lines...)
	runtime.GOMAXPROCS(8)
	calls := 0
	many := sensitive(t, Options{Progress: func(done, total int) { calls++ }}, lines...)
	diff := cmp.Diff(one, many, cmpopts.IgnoreUnexported(Report{}), cmpopts.IgnoreFields(Metrics{}, "AvgTimeMS"))
	if diff != "" {
		t.Error(diff)
	}
	if calls != 3 {
		t.Errorf("progress was reported %d times, want 3", calls)
	}
}
