package eval

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy/internal/detect"
	"mcpproxy/internal/detect/detecttest"
)

// The project's own cases: texts that each rule must find, and texts that address an agent or only look as if they
// did.
const fewestCases = 600

func TestTheProjectsOwnSecretsAreFound(t *testing.T) {
	cases, err := detecttest.Load(filepath.Join("..", "detect", "testdata", "secrets"))
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, c := range cases {
		if !c.Positive {
			continue // the rule's own test checks that its own rule does not match
		}
		b, err := json.Marshal(map[string]any{
			"text":     c.Text,
			"label":    c.Family,
			"value":    c.Value,
			"positive": true,
		})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(b, '\n'))
	}
	r, err := Sensitive(
		Options{Inputs: []string{"-"}, Stdin: strings.NewReader(lines.String())},
		detect.New(detect.Rules()),
	)
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < fewestCases {
		t.Errorf("only %d cases", len(cases))
	}
	least := 1.0
	for _, missed := range (Gate{MinRecall: &least}).Missed(r.Metrics) {
		t.Errorf("%s: %+v", missed, r.Misses)
	}
}

func TestTheProjectsOwnInstructionsAreFound(t *testing.T) {
	r, err := Content(Options{Inputs: []string{filepath.Join("..", "scan", "testdata", "content")}})
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Metrics.Positives + r.Metrics.Negatives; n < fewestCases/3 {
		t.Errorf("only %d cases", n)
	}
	least, most := 0.98, 0.01
	for _, missed := range (Gate{MinRecall: &least, MaxFPR: &most}).Missed(r.Metrics) {
		t.Errorf("%s: missed %+v, false alarms %+v", missed, r.Misses, r.FalsePositives)
	}
}
