package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// byBytes returns a comparison that reports every difference.
func byBytes(before, after json.RawMessage) ([]string, error) {
	if bytes.Equal(before, after) {
		return nil, nil
	}
	return []string{"description", "name", "description"}, nil
}

func changes(t *testing.T, diff Diff, lines ...string) *Report {
	t.Helper()
	r, err := Changes(Options{Inputs: []string{"-"}, Stdin: strings.NewReader(strings.Join(lines, "\n"))}, diff)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var changeLines = []string{
	`{"before":{"name":"a","x":1},"after":{"name":"a","x":2},"label":"malicious","category":"rug_pull"}`,
	`{"before":{"name":"a","x":1},"after":{"name":"b","x":1},"label":"benign","category":"drift"}`,
	`{"before":{"name":"a","x":1},"after":{"x":1,"name":"a"},"label":"benign","category":"drift"}`,
	`{"before":{"name":"a"},"after":{"name":"a"},"label":"benign","category":"same"}`,
}

func TestChangesAreDeterminedFromTheValuesWhoeverMadeThem(t *testing.T) {
	r := changes(t, byBytes, changeLines...)
	if m := r.Metrics; m.Positives != 2 || m.Found != 2 || m.Negatives != 2 || m.FalseAlarms != 1 {
		t.Errorf("%+v", m)
	}
	if got := r.FalsePositives; len(got) != 1 || got[0].Line != 3 ||
		strings.Join(got[0].Found, ",") != "description,name" {
		t.Errorf("%+v", got)
	}
	if got := *r.Security.RugPullDetectionRate; got != 1 {
		t.Errorf("rug pulls: %v", got)
	}
	if r.Security.ProductionReady != nil {
		t.Error("ProductionReady is set, although only changes were measured")
	}
}

func TestAComparisonThatSaysNothingMissesAndOneThatFailsReports(t *testing.T) {
	silent := changes(t, func(json.RawMessage, json.RawMessage) ([]string, error) { return nil, nil }, changeLines...)
	if m := silent.Metrics; m.Found != 0 || m.FalseAlarms != 0 || *silent.Security.RugPullDetectionRate != 0 {
		t.Errorf("%+v", m)
	}
	failing := changes(
		t,
		func(json.RawMessage, json.RawMessage) ([]string, error) { return nil, errors.New("no") },
		changeLines...)
	if m := failing.Metrics; m.Found != 2 || m.FalseAlarms != 2 {
		t.Errorf("%+v", m)
	}
}

func TestOrderSpacesAndSpellingMakeNoDifference(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		want       bool
	}{
		{"order of members", `{"a":1,"b":{"c":2,"d":3}}`, `{"b":{"d":3,"c":2},"a":1}`, true},
		{"spaces", `{"a":[1,2]}`, ` { "a" : [ 1 , 2 ] } `, true},
		{"escapes", `"\u00e9\/"`, `"é/"`, true},
		{"ways to write a number", `[100,1,0.5]`, `[1e2,1.0,5E-1]`, true},
		{"order of a list", `[1,2]`, `[2,1]`, false},
		{"a digit beyond what floats hold", `9007199254740993`, `9007199254740992`, false},
		{"null and nothing", `{"a":null}`, `{}`, false},
		{"false and null", `false`, `null`, false},
		{"one and true", `1`, `true`, false},
		{"a number and its text", `1`, `"1"`, false},
		{"another name", `{"a":1}`, `{"b":1}`, false},
		{"a longer list", `[1]`, `[1,1]`, false},
		{"exponents too large to write out", `1e999999`, `1e9999999`, false},
		{"forms of an accent", `"é"`, `"e\u0301"`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if sameJSON([]byte(c.a), []byte(c.b)) != c.want || sameJSON([]byte(c.b), []byte(c.a)) != c.want {
				t.Errorf("the same: %v", !c.want)
			}
		})
	}
}

func TestRowsOfChangesAreReadStrictly(t *testing.T) {
	for line, want := range map[string]string{
		`{"before":{},"label":"benign"}`:            `"before" and "after" must be definitions`,
		`{"before":[],"after":{},"label":"benign"}`: `"before" and "after" must be definitions`,
		`{"before":{},"after":{},"label":"drift"}`:  `"label" must be malicious or benign`,
	} {
		_, err := Changes(Options{Inputs: []string{"-"}, Stdin: strings.NewReader(line)}, byBytes)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
}
