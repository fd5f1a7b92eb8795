package eval

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcpproxy/internal/detect"
)

func TestASourceIsNamedWithoutVersionAndPlace(t *testing.T) {
	at := Place{File: "corpus/mails.jsonl.zst", Line: 3}
	for _, tt := range []struct{ name, source, want string }{
		{"a repository at a commit, and a path", "acme/rules@b58d3f10:rules/aws.yml", "acme/rules"},
		{"a repository and a path", "acme/rules:bad/echo.py", "acme/rules"},
		{"a package with a version", "npm left-pad@1.3.0", "npm left-pad"},
		{"a scoped package with a version", "npm @acme/server@2.13.0", "npm @acme/server"},
		{"a scoped package alone", "npm @acme/server", "npm @acme/server"},
		{"a remark behind it", "ASB (built from its parts)", "ASB"},
		{"a plain sentence", "written for this project", "written for this project"},
		{"an address", "https://data.example/set", "https://data.example/set"},
		{"nothing", "", "mails"},
		{"a mere version", "@1.2.3", "@1.2.3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := sourceName(tt.source, at); got != tt.want {
				t.Errorf("%q is counted as %q, not as %q", tt.source, got, tt.want)
			}
		})
	}
}

func TestRowsAreGroupedAsRequested(t *testing.T) {
	dir := folder(t, map[string]string{
		"a.jsonl": `{"text":"password = hunter2-Wq7x","label":"one","positive":true,"source":"acme/rules@1:x"}` + "\n" +
			`{"text":"nothing","label":"two","positive":false,"source":"acme/rules@2:y"}` + "\n",
		"b.jsonl": `{"text":"nothing here","label":"one","positive":false}` + "\n",
	})
	for _, tt := range []struct {
		by   By
		want string
	}{
		{ByLabel, "one two"},
		{BySource, "acme/rules b"},
		{ByFile, "a b"},
	} {
		t.Run(tt.by.Plural(), func(t *testing.T) {
			r, err := Sensitive(Options{Inputs: []string{dir}, By: tt.by}, detect.New(detect.Rules()))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(slices.Sorted(maps.Keys(r.ByCategory)), " "); got != tt.want {
				t.Errorf("rows are counted by %q, not by %q", got, tt.want)
			}
			if r.By != tt.by || r.Metrics.Positives != 1 || r.Metrics.Negatives != 2 {
				t.Errorf("the report is by %q with %+v", r.By, r.Metrics)
			}
		})
	}
}

func TestSessionsAreCountedBySource(t *testing.T) {
	at := Place{File: filepath.Join("x", "mails.sessions.jsonl")}
	all := suites{}
	for _, s := range []flowSession{
		{Label: "benign", Suite: "inbox", Source: "acme/runs@1:a"},
		{Label: "benign", Suite: "cleaning", Source: "acme/runs@1:b"},
		{Label: "attack_mail", Suite: "inbox"},
	} {
		all.add(BySource, row[flowSession]{at, s}, nil)
	}
	var got []string
	for _, m := range all.finish() {
		got = append(got, m.Suite)
	}
	if want := []string{"acme/runs", "mails"}; !slices.Equal(got, want) {
		t.Errorf("sessions are counted by %q, not by %q", got, want)
	}
}
