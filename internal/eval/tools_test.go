package eval

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/scan/definition"
	"mcpproxy/internal/text"
)

// flagged is a scanner with one soft signal: its check for secrets reports every definition with the word "remark".
var flagged = definition.Scanner{Secrets: func(d *text.Document) ([]mcpproxy.Signal, error) {
	for _, p := range d.Parts {
		if strings.Contains(p.Text, "remark") {
			return []mcpproxy.Signal{{
				Source:     mcpproxy.SourcePII,
				Kind:       "remark",
				Severity:   mcpproxy.SeverityHigh,
				Confidence: 0.9,
				Evidence:   "remark",
			}}, nil
		}
	}
	return nil, nil
}}

// hiddenWord is invisible, and is always a hard finding.
const hiddenWord = `\udb40\udc73\udb40\udc65\udb40\udc6e\udb40\udc64`

func tools(t *testing.T, tier scan.Tier, lines ...string) *Report {
	t.Helper()
	r, err := Tools(Options{Inputs: []string{"-"}, Stdin: strings.NewReader(strings.Join(lines, "\n"))}, flagged, tier)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var toolLines = []string{
	`{"server":"a","name":"one","description":"Adds.` + hiddenWord + `","label":"malicious","category":"unicode_smuggling","tier":"hard"}`,
	`{"server":"a","name":"two","description":"Adds a remark.","label":"malicious","category":"secret","tier":"hard"}`,
	`{"server":"a","name":"three","description":"Adds a remark.","label":"malicious","category":"secret","tier":"soft"}`,
	`{"server":"a","name":"four","description":"Adds.","label":"malicious","category":"secret"}`,
	`{"server":"a","name":"five","description":"Adds.","label":"benign","category":"honest"}`,
	`{"server":"a","name":"six","description":"Adds a remark.","label":"benign","category":"honest"}`,
	`{"server":"a","name":"seven","description":"Adds.` + hiddenWord + `","label":"benign"}`,
}

func TestADefinitionOfTheTierHardNeedsAHardFinding(t *testing.T) {
	r := tools(t, "", toolLines...)
	m := r.Metrics
	if m.Positives != 4 || m.Found != 2 || m.Negatives != 3 || m.FalseAlarms != 1 || *m.AnyFindings != 2 ||
		*m.AnyFindingRate != 2.0/3 {
		t.Errorf("%+v", m)
	}
	hard, soft := r.ByTier[scan.TierHard], r.ByTier[scan.TierSoft]
	if hard.Positives != 3 || hard.Found != 1 || soft.Positives != 1 || soft.Found != 1 {
		t.Errorf("hard %+v, soft %+v", hard, soft)
	}
	for name, c := range map[string]struct {
		items []Item
		want  []int
	}{"misses": {r.Misses, []int{2, 4}}, "false alarms": {r.FalsePositives, []int{7}}, "to review": {r.Reviews, []int{6}}} {
		var got []int
		for _, i := range c.items {
			got = append(got, i.Line)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if got := r.ByCategory["honest"]; *got.AnyFindings != 1 || got.FalseAlarms != 0 {
		t.Errorf("honest: %+v", got)
	}
}

func TestOneTierUsesOnlyItsOwnRows(t *testing.T) {
	r := tools(t, scan.TierSoft, toolLines...)
	if m := r.Metrics; m.Positives != 1 || m.Found != 1 || m.Negatives != 3 {
		t.Errorf("%+v", m)
	}
	_, err := Tools(Options{Inputs: []string{"-"}, Stdin: strings.NewReader(toolLines[0])}, flagged, scan.TierSoft)
	if err == nil {
		t.Error("a tier without rows is no measurement")
	}
}

func TestWhatARowSaysAboutADefinitionIsNotScanned(t *testing.T) {
	r := tools(
		t,
		"",
		`{"server":"a","name":"one","description":"Adds.","label":"benign","category":"remark","note":"remark`+hiddenWord+`","id":"remark"}`,
	)
	if len(r.FalsePositives)+len(r.Reviews) != 0 {
		t.Errorf("%+v %+v", r.FalsePositives, r.Reviews)
	}
}

func TestEveryPartOfADefinitionIsScanned(t *testing.T) {
	for _, part := range []string{
		`"title":"X"`, `"description":"X"`, `"inputSchema":{"type":"object","properties":{"p":{"description":"X"}}}`, `"input_schema":{"type":"object","properties":{"p":{"description":"X"}}}`, `"outputSchema":{"title":"X"}`,
		`"annotations":{"title":"X"}`, `"icons":[{"src":"X"}]`, `"_meta":{"a":"X"}`,
		`"kind":"prompt","arguments":[{"name":"n","description":"X"}]`, `"kind":"instructions","description":"X"`,
	} {
		t.Run(part, func(t *testing.T) {
			r := tools(
				t,
				"",
				`{"server":"a","name":"one","label":"malicious",`+strings.ReplaceAll(part, "X", "see"+hiddenWord)+`}`,
			)
			if r.Metrics.Found != 1 {
				t.Error("it was not found")
			}
		})
	}
}

// The requirements for the scanner only ask for an id and a description of a row.
// Shows: TS-12.
func TestARowNeedsNoNameWhereItHasAnID(t *testing.T) {
	r := tools(
		t,
		"",
		`{"id":"tpa-1","description":"Adds.`+hiddenWord+`","label":"malicious","category":"tool_poisoning"}`,
		`{"id":"benign-1","description":"Adds.","label":"benign","category":"benign"}`,
	)
	if r.Metrics.Found != 1 || len(r.FalsePositives)+len(r.Reviews) != 0 {
		t.Errorf("%+v", r.Metrics)
	}
}

func TestADefinitionThatCannotBeReadIsFound(t *testing.T) {
	r := tools(t, "", `{"server":"a","name":"one","title":7,"label":"malicious","category":"x"}`)
	if r.Metrics.Found != 1 {
		t.Errorf("%+v", r.Metrics)
	}
}

func TestRowsOfDefinitionsAreReadStrictly(t *testing.T) {
	for line, want := range map[string]string{
		`{"name":"a","label":"bad"}`: `"label" must be malicious or benign`,
		`{"label":"benign"}`:         `"name" is missing`,
		`{"id":"a","label":"benign","inputSchema":{},"input_schema":{}}`: `mean the same`,
		`{"name":"a","label":"benign","tier":"x"}`:                       `"tier" must be hard or soft`,
		`{"name":"a","label":"benign","kind":"x"}`:                       `"kind" must be tool, prompt or instructions`,
		`{"name":"a","label":"benign","description":["words"]}`:          `"description" must be a string`,
		`{"name":"a","label":"benign","name":"b"}`:                       `duplicate`,
	} {
		_, err := Tools(Options{Inputs: []string{"-"}, Stdin: strings.NewReader(line)}, flagged, "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

func TestRowsToBeScannedNeedNoLabel(t *testing.T) {
	found, err := Definitions(Options{Inputs: []string{"-"}, Stdin: strings.NewReader(
		`{"server":"a","name":"one","description":"Adds.","peers":[{"server":"b","name":"two"},{"server":"c","tool":"three"},{"server":"d"},{"server":"e","tool":{"name":"five","description":"Adds."}}]}` + "\n" +
			`{"server":"a","kind":"instructions","description":"Be kind."}` + "\n" + `{"server":"a","name":"four","title":7}`,
	)})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 3 || len(found[0].Peers) != 3 || found[0].Peers[2].Name != "five" ||
		found[0].Peers[1].Name != "three" ||
		found[1].View.Description != "Be kind." ||
		found[2].Err == nil {
		t.Errorf("%+v", found)
	}
}

func FuzzARowOfDefinitions(f *testing.F) {
	for _, line := range toolLines {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		found, err := Definitions(Options{Inputs: []string{"-"}, Stdin: strings.NewReader(line)})
		if err != nil {
			return
		}
		for _, d := range found {
			if !json.Valid(d.Raw) {
				t.Errorf("a definition is not JSON: %s", d.Raw)
			}
		}
	})
}
