package main

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
)

func TestEveryCheckHasAHelpText(t *testing.T) {
	var ids []string
	for _, c := range checkHelp {
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

func TestAPathBecomesAPointer(t *testing.T) {
	for path, want := range map[string]string{
		"":                                "",
		"description":                     "/description",
		".inputSchema.properties.a":       "/inputSchema/properties/a",
		`inputSchema.properties["a b"].x`: "/inputSchema/properties/a b/x",
		`p["a\"]b"][2].enum[0]`:           `/p/a"]b/2/enum/0`,
		`_meta["a/b~c"]`:                  "/_meta/a~1b~0c",
		`["\u00e9"]`:                      "/é",
		"inputSchema.prope...ties.x":      "/inputSchema/prope",
		`a["cut`:                          "/a",
		"a[x]":                            "/a",
		"a[":                              "/a",
	} {
		if got := pointerOf(path); got != want {
			t.Errorf("%q is %q, want %q", path, got, want)
		}
	}
}

func TestLinesAreThoseWhereValuesBegin(t *testing.T) {
	l := linesOf([]byte("{\n \"a\": [\n  1,\n  {\"b\":\n   \"xy\"}\n ],\n \"c\": 2}\n"))
	for pointer, want := range map[string]int{"": 1, "/a": 2, "/a/0": 3, "/a/1": 4, "/c": 7, "/a/1/b": 4, "/a/1/nothing": 4, "/d": 1} {
		if got := l.at(pointer); got != want {
			t.Errorf("%q is on line %d, want %d", pointer, got, want)
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
		subjects, err := fileSubjects(name, "s")
		if err != nil {
			return
		}
		r := scanSubjects(subjects, s)
		if len(r.Findings) > len(subjects) {
			t.Errorf("%d findings about %d definitions", len(r.Findings), len(subjects))
		}
		for _, found := range r.Findings {
			if found.Line < 1 || found.Line > 1+bytes.Count(raw, []byte("\n")) {
				t.Errorf("line %d", found.Line)
			}
		}
		var out strings.Builder
		if err := report.WriteSARIF(&out, r.sarif()); err != nil || !json.Valid([]byte(out.String())) {
			t.Errorf("%v\n%s", err, &out)
		}
		if err := r.table(&out, noThreshold); err != nil || strings.ContainsRune(out.String(), '\x1b') {
			t.Errorf("%v\n%s", err, &out)
		}
	})
}
