package export

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcpproxy/internal/detect"
	"mcpproxy/internal/report"
	"mcpproxy/internal/scan/definition"
	"mcpproxy/internal/scan/run"
	"mcpproxy/internal/scan/source"
)

func TestEveryCheckHasAHelpText(t *testing.T) {
	var ids []string
	for _, c := range checks {
		ids = append(ids, c.id)
		if c.name == "" || c.summary == "" || c.help == "" || scores[c.severity] == 0 {
			t.Errorf("%s: something is empty", c.id)
		}
	}
	if !slices.IsSorted(ids) {
		t.Errorf("not in order: %q", ids)
	}
	for _, c := range (definition.Scanner{Secrets: detect.New(nil).Secrets}).Checks() {
		if !slices.Contains(ids, c.ID()) {
			t.Errorf("the check %s has no help text", c.ID())
		}
	}
}

func FuzzAFileOfDefinitions(f *testing.F) {
	f.Add([]byte(`{"tools":[{"name":"a","description":"b"}]}`))
	f.Add([]byte(`{"jsonrpc":"2.0","result":{"prompts":[{"name":"a"}],"instructions":"x"}}`))
	f.Add([]byte(`[{"name":"a","name":"b"},7,"x"]`))
	f.Add([]byte("{\"name\":\"\xff\"}"))
	s := (definition.Scanner{Secrets: detect.New(nil).Secrets})
	f.Fuzz(func(t *testing.T, raw []byte) {
		name := filepath.Join(t.TempDir(), "f.json")
		if err := os.WriteFile(name, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		subjects, err := source.Read(name, "s")
		if err != nil {
			return
		}
		r := run.Scan(subjects, s)
		if len(r.Findings) > len(subjects) {
			t.Errorf("%d findings about %d definitions", len(r.Findings), len(subjects))
		}
		for _, found := range r.Findings {
			if found.Line < 1 || found.Line > 1+bytes.Count(raw, []byte("\n")) {
				t.Errorf("line %d", found.Line)
			}
		}
		var out strings.Builder
		if err := report.WriteSARIF(&out, SARIF(r)); err != nil || !json.Valid([]byte(out.String())) {
			t.Errorf("%v\n%s", err, &out)
		}
	})
}
