package definition_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcpproxy/internal/scan"
	"mcpproxy/internal/scan/definition"
)

// example is a line of testdata/checks: a tool, the tools of other servers, and the expected result of the check with
// the name of the file.
type example struct {
	Want  string // hard, soft or none
	Tool  json.RawMessage
	Peers []struct{ Server, Name, Description string }
}

func (e example) scan(t *testing.T) definition.Report {
	t.Helper()
	v, err := definition.FromTool("here", e.Tool)
	if err != nil {
		t.Fatal(err)
	}
	all := []definition.ToolView{v}
	for _, p := range e.Peers {
		all = append(all, definition.ToolView{Server: p.Server, Name: p.Name, Description: p.Description})
	}
	return definition.Scan(all[:1], definition.NewRegistry(all))
}

func examples(t *testing.T, file string) []example {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []example
	for in := bufio.NewScanner(f); in.Scan(); {
		var e example
		if err := json.Unmarshal(in.Bytes(), &e); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out = append(out, e)
	}
	return out
}

// Shows: TS-2, TS-6.
func TestEachCheckFindsItsThreatAndNothingElse(t *testing.T) {
	for _, c := range definition.Checks() {
		t.Run(c.ID(), func(t *testing.T) {
			for _, e := range examples(t, filepath.Join("testdata", "checks", c.ID()+".jsonl")) {
				r := e.scan(t)
				if got := tierOf(r, c.ID()); got != e.Want {
					t.Errorf("%s: %s, want %s", e.Tool, got, e.Want)
				}
				if e.Want == "none" && len(r.Findings) > 0 {
					t.Errorf("%s: %+v", e.Tool, r.Findings[0].Details)
				}
				if e.Want == "soft" && r.Findings[0].Hard() {
					t.Errorf("%s is quarantined: %+v", e.Tool, r.Findings[0].Details)
				}
			}
		})
	}
}

// tierOf returns the tier of a check's signal about the only tool of a report.
func tierOf(r definition.Report, id string) string {
	tier := "none"
	for _, f := range r.Findings {
		for _, s := range f.Details {
			if s.CheckID == id && tier != string(scan.TierHard) {
				tier = string(s.Tier)
			}
		}
	}
	return tier
}

func TestEveryCheckHasExamplesOfBothKinds(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "checks", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for _, c := range definition.Checks() {
		known = append(known, c.ID())
	}
	for _, file := range files {
		id := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		if !slices.Contains(known, id) {
			t.Errorf("%s belongs to no check", file)
		}
		hits := 0
		all := examples(t, file)
		for _, e := range all {
			if e.Want != "none" {
				hits++
			}
		}
		if hits == 0 || hits == len(all) {
			t.Errorf("%s has %d hits among %d examples", file, hits, len(all))
		}
	}
	if len(files) != len(known) {
		t.Errorf("%d files for %d checks", len(files), len(known))
	}
}
