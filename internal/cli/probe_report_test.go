package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/probe"
	"mcpproxy/internal/version"
)

var updateProbe = flag.Bool("update-probe", false, "write the golden reports of the probe")

// sampleProbe returns results in which every field is set.
func sampleProbe() *probe.Results {
	p95 := 12
	yes := true
	no := false
	r := &probe.Results{
		Target:          "http://localhost:3000/mcp",
		Transport:       "http",
		ProtocolVersion: "2025-11-25",
		Server:          "notes 1.2",
		Passed:          &no,
		DurationMS:      1234.5,
		Started:         time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Partial:         true,
		PartialReason:   "the run was interrupted",
	}
	r.Tests = []probe.Result{
		{
			ID:           "T1",
			Name:         "Prompt Injection Guard",
			Suite:        probe.SuiteSecurity,
			Outcome:      probe.Failed,
			Pass:         &no,
			LatencyMS:    3.25,
			ErrorCode:    "isError",
			ErrorMessage: `=cmd|' /C calc'!A0 <script>`,
			Reason:       "read_note was given \"x\" & handed it back | [link](http://e.example) @you #7 \x1b[31m",
			Fix:          "Mend it.",
			Tools:        []string{"read_note", "=1+1"},
			Attempts:     3,
			Notes:        []string{"also: <b>more</b>"},
			Details:      map[string]any{"a": 1},
		},
		{
			ID:        "T5",
			Name:      "Latency/SLO",
			Suite:     probe.SuiteSecurity,
			Outcome:   probe.Passed,
			Pass:      &yes,
			LatencyMS: 11.5,
			Tools:     []string{},
			Attempts:  10,
		},
		{
			ID:         "T10",
			Name:       "Session and Origin Checks",
			Suite:      probe.SuiteRobustness,
			Outcome:    probe.Skipped,
			SkipReason: "the run was stopped before",
			Tools:      []string{},
		},
	}
	s := &probe.SecuritySummary{
		SuiteSummary:     probe.SuiteSummary{Total: 2, Passed: 1, PassRate: 0.5},
		SecurityTests:    2,
		SecurityPassed:   1,
		P95LatencyMS:     &p95,
		MaxP95MS:         2000,
		SLOMet:           &yes,
		OutOfScopeDenied: &no,
	}
	s.ThresholdsMet.Latency, s.ThresholdsMet.Scope = &yes, &no
	r.Totals = probe.Summary{Security: s, Robustness: &probe.SuiteSummary{Skipped: 1}}
	return r
}

// Shows: PS-11.
func TestReportsOfAProbeAreWrittenAsTheyWere(t *testing.T) {
	for format, name := range map[string]string{
		"table":        "probe.txt",
		"json":         "probe.json",
		"yaml":         "probe.yaml",
		formatJUnit:    "probe.junit.xml",
		formatSARIF:    "probe.sarif",
		formatMarkdown: "probe.md",
		formatXLSX:     "probe.xlsx",
	} {
		t.Run(format, func(t *testing.T) {
			var got, again bytes.Buffer
			for _, out := range []*bytes.Buffer{&got, &again} {
				if err := writeProbe(out, &globals{output: format}, sampleProbe(), term.Palette(false)); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(got.Bytes(), again.Bytes()) {
				t.Error("equal results give other bytes")
			}
			made := bytes.ReplaceAll(got.Bytes(), []byte(`"version": "`+version.String()+`"`), []byte(`"version": "v1"`))
			golden := filepath.Join("testdata", "probe", name)
			if *updateProbe {
				if err := os.WriteFile(golden, made, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(made)); diff != "" {
				t.Error(diff)
			}
			if bytes.ContainsRune(got.Bytes(), '\x1b') && format != formatXLSX && format != "json" {
				t.Error("a control character is in the report")
			}
		})
	}
}

// Every command-line flag that a report recommends exists.
func TestAdviceNamesFlags(t *testing.T) {
	flags := probeCommand(&globals{}).Flags()
	for option := range reflect.TypeFor[probe.Options]().Fields() {
		name, _, _ := strings.Cut(option.Tag.Get("json"), ",")
		said := inFlags.Replace("accept that with " + name)
		_, flag, found := strings.Cut(said, "--")
		if name != "-" && name != "seed" && (!found || flags.Lookup(flag) == nil) {
			t.Errorf("%s: %s", name, said)
		}
	}
	for threshold := range reflect.TypeFor[probe.Thresholds]().Fields() {
		name, _, _ := strings.Cut(threshold.Tag.Get("json"), ",")
		if said := inFlags.Replace("set " + name + "=x"); said != "set --threshold "+name+"=x" {
			t.Errorf("%s", said)
		}
	}
}
