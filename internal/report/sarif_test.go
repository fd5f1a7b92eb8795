package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// sample returns a run in which every field is set.
var sample = Run{
	Program: "mcpproxy",
	Version: "v1.2.3",
	URL:     "https://mcpproxy.example/docs/scan",
	Rules: []Rule{
		{
			ID:      "unicode.hidden",
			Name:    "HiddenCharacters",
			Summary: "A definition holds characters that nobody sees.",
			Help:    "Remove them.",
			Level:   LevelError,
			Score:   9.5,
			Tags:    []string{"security"},
		},
		{
			ID:      "preference.manipulation",
			Name:    "Preference",
			Summary: "A definition talks other tools down.",
			Help:    "Say what the tool does.",
			Level:   LevelNote,
			Score:   3,
		},
	},
	Findings: []Finding{
		{
			Rule:     "unicode.hidden",
			Level:    LevelError,
			Message:  `notes:save: hidden: "{0} [a](b)"`,
			File:     "tools.json",
			Line:     7,
			Pointer:  "/tools/0/description",
			Object:   "notes:save",
			Kind:     "function",
			Score:    9.5,
			Evidence: `\u{E0041} {0} [a](b) <b>&`,
		},
		{
			Rule:    "preference.manipulation",
			Level:   LevelNote,
			Message: "notes:find: \xff",
			File:    "mcp://notes/tools/find",
			Object:  "notes:find",
			Score:   42,
		},
		{Rule: "preference.manipulation", Level: LevelWarning, Message: "nowhere"},
	},
	Failed:     []string{"the check x failed"},
	Properties: map[string]any{"risk_score": 85, "definitions": 2},
}

func TestSARIFIsWrittenAsItWas(t *testing.T) {
	var got bytes.Buffer
	if err := WriteSARIF(&got, sample); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "sample.sarif")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Error(diff)
	}
}

func TestARunWithoutFindingsHasAnEmptyList(t *testing.T) {
	var got bytes.Buffer
	if err := WriteSARIF(&got, Run{Program: "p"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"results": []`, `"rules": []`, `"executionSuccessful": true`} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("%s is not in\n%s", want, &got)
		}
	}
}

func TestAFindingOfAnUnknownRuleIsAnErrorAndWritesNothing(t *testing.T) {
	var got bytes.Buffer
	if err := WriteSARIF(&got, Run{Findings: []Finding{{Rule: "other"}}}); err == nil || got.Len() > 0 {
		t.Errorf("%v, %q", err, &got)
	}
	if err := WriteSARIF(&got, Run{Properties: map[string]any{"f": func() {}}}); err == nil || got.Len() > 0 {
		t.Errorf("%v, %q", err, &got)
	}
}

func TestAnErrorOfTheWriterIsReturned(t *testing.T) {
	if err := WriteSARIF(full{}, sample); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestFingerprintsTellFindingsApartAndStay(t *testing.T) {
	seen := map[string][]string{}
	for _, words := range [][]string{{"a", "bc"}, {"ab", "c"}, {"abc"}, {"a", "b", "c"}, {"1:a"}, {"a", ""}, {"", "a"}} {
		f := fingerprint(words)
		if f != fingerprint(words) {
			t.Errorf("%q changes", words)
		}
		if other, ok := seen[f]; ok {
			t.Errorf("%q and %q are the same", words, other)
		}
		seen[f] = words
	}
	if len(fingerprint(nil)) != 32 {
		t.Error("a fingerprint has 32 digits")
	}
}

func FuzzSARIF(f *testing.F) {
	f.Add("text {0} [l](u)", "tools.json", "/a", 3)
	f.Add("\x00\xff\u202e", "", "", -1)
	f.Fuzz(func(t *testing.T, words, file, pointer string, line int) {
		r := Run{
			Program: words,
			Rules:   []Rule{{ID: words, Help: words}},
			Findings: []Finding{{
				Rule:     words,
				Message:  words,
				File:     file,
				Pointer:  pointer,
				Object:   words,
				Line:     line,
				Evidence: words,
			}},
			Failed: []string{words},
		}
		var out bytes.Buffer
		if err := WriteSARIF(&out, r); err != nil {
			t.Fatal(err)
		}
		var back sarifLog
		if err := json.Unmarshal(out.Bytes(), &back); err != nil {
			t.Fatalf("%v\n%s", err, &out)
		}
		if len(back.Runs[0].Results) != 1 {
			t.Errorf("%d results", len(back.Runs[0].Results))
		}
	})
}
