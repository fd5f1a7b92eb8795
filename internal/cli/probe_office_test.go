package cli

import (
	"context"
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/cli/term"
)

// allSheets is LibreOffice's filter for CSV: commas, double quotes, UTF-8, cells as displayed, and one file for each
// sheet.
const allSheets = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"

// office converts a workbook to CSV with LibreOffice and returns its sheets.
func office(t *testing.T, book string) map[string][][]string {
	t.Helper()
	soffice, err := exec.LookPath("soffice")
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatalf("LibreOffice is not there: apt-get install libreoffice-calc-nogui (%v)", err)
	case err != nil:
		t.Skip("THE SPREADSHEET IS NOT TESTED: there is no LibreOffice here (apt-get install libreoffice-calc-nogui)")
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(
		ctx,
		soffice,
		"-env:UserInstallation=file://"+filepath.Join(dir, "profile"),
		"--headless",
		"--convert-to",
		allSheets,
		"--outdir",
		dir,
		book,
	)
	cmd.Env = append(os.Environ(), "HOME="+dir, "LC_ALL=C.UTF-8")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sheets := map[string][][]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSuffix(filepath.Base(book), ".xlsx") + "-"
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r := csv.NewReader(f)
		r.FieldsPerRecord = -1
		rows, err := r.ReadAll()
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		sheets[strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), name), ".csv")] = rows
	}
	return sheets
}

// LibreOffice reads the spreadsheet: every cell has its intended content, and no cell is a formula.
// Shows: PS-10.
func TestLibreOfficeReadsTheSpreadsheet(t *testing.T) {
	t.Parallel()
	book := filepath.Join(t.TempDir(), "probe.xlsx")
	f, err := os.Create(book)
	if err != nil {
		t.Fatal(err)
	}
	results := sampleProbe()
	if err := writeProbe(f, &globals{output: formatXLSX}, results, term.Palette(false)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	got := office(t, book)
	want := map[string][][]string{
		"summary": {
			{
				"target",
				"server",
				"started",
				"transport",
				"protocol_version",
				"partial",
				"mcp_security_tests",
				"mcp_security_passed",
				"mcp_p95_latency_ms",
				"mcp_slo_met",
				"mcp_schema_stable",
				"mcp_scope_denied",
				"mcp_robustness_tests",
				"mcp_robustness_passed",
			},
			{
				"http://localhost:3000/mcp",
				"notes 1.2",
				"2026-03-01T12:00:00Z",
				"http",
				"2025-11-25",
				"TRUE",
				"2",
				"1",
				"12",
				"TRUE",
				"",
				"FALSE",
				"0",
				"0",
			},
		},
		"details": {
			{
				"id",
				"name",
				"suite",
				"outcome",
				"latency_ms",
				"attempts",
				"tools",
				"error_code",
				"error_message",
				"failure_reason",
				"fix",
				"skip_reason",
				"notes",
				"details",
			},
			{
				"T1",
				"Prompt Injection Guard",
				"mcp_security",
				"failed",
				"3.25",
				"3",
				"read_note, =1+1",
				"isError",
				`=cmd|' /C calc'!A0 <script>`,
				strings.ReplaceAll(
					results.Tests[0].Reason,
					"\x1b",
					"\uFFFD",
				),
				"Mend it.",
				"",
				"also: <b>more</b>",
				`{"a":1}`,
			},
			{"T5", "Latency/SLO", "mcp_security", "passed", "11.5", "10", "", "", "", "", "", "", "", ""},
			{
				"T10",
				"Session and Origin Checks",
				"mcp_robustness",
				"skipped",
				"0",
				"0",
				"",
				"",
				"",
				"",
				"",
				"the run was stopped before",
				"",
				"",
			},
		},
	}
	for name, rows := range got { // readers omit empty cells at the end of a row
		for i, row := range rows {
			got[name][i] = append(row, make([]string, max(0, len(rows[0])-len(row)))...)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
