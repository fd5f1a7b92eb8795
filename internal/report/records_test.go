package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/report"
)

func write(t testing.TB, format string, w io.Writer, flows bool, n int, record func(i int) *mcpproxy.Record) {
	t.Helper()
	out, err := report.NewRecords(format, w, flows)
	if err == nil {
		err = out.Begin()
	}
	for i := 0; i < n && err == nil; i++ {
		err = out.Write(record(i))
	}
	if err == nil {
		err = out.End()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func numbered(i int) *mcpproxy.Record {
	return &mcpproxy.Record{
		ID:        fmt.Sprint("r", i),
		Timestamp: time.Unix(int64(i), 0).UTC(),
		Type:      mcpproxy.RecordToolCall,
		Response:  json.RawMessage(`"` + strings.Repeat("text ", 100) + `"`),
		Metadata:  mcpproxy.Metadata{Facts: mcpproxy.Facts{Edges: []mcpproxy.Edge{{To: "chat"}}}},
	}
}

func TestEveryFormatCanBeReadBack(t *testing.T) {
	for _, format := range report.RecordFormats {
		for _, n := range []int{0, 1, 3} {
			for _, flows := range []bool{false, true} {
				var b bytes.Buffer
				write(t, format, &b, flows, n, numbered)
				if got := strings.Contains(b.String(), "chat"); got != (flows && n > 0) {
					t.Errorf("%s of %d records, flows asked for: %t, flows there: %t", format, n, flows, got)
				}
				if got := count(t, format, b.Bytes()); got != n {
					t.Errorf("%s of %d records holds %d", format, n, got)
				}
			}
		}
	}
	_, err := report.NewRecords("xml", io.Discard, false)
	if err == nil || !strings.Contains(err.Error(), "json, jsonl, csv") {
		t.Errorf("an unknown format: %v", err)
	}
}

func count(t *testing.T, format string, raw []byte) int {
	t.Helper()
	switch format {
	case "csv":
		rows, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return len(rows) - 1
	case "jsonl":
		for line := range bytes.Lines(raw) {
			if !json.Valid(line) {
				t.Fatalf("no JSON: %s", line)
			}
		}
		return bytes.Count(raw, []byte("\n"))
	}
	var records []mcpproxy.Record
	if err := json.Unmarshal(raw, &records); err != nil {
		t.Fatal(err)
	}
	return len(records)
}

// meter counts the bytes that are written and measures the heap from time to time.
type meter struct {
	written, looked, peak uint64
}

func (m *meter) Write(p []byte) (int, error) {
	if m.written += uint64(len(p)); m.written-m.looked > 10<<20 {
		m.looked, m.peak = m.written, max(m.peak, heap())
	}
	return len(p), nil
}

func heap() uint64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

func TestMemoryDoesNotGrowWithTheLog(t *testing.T) {
	for _, format := range report.RecordFormats {
		before, m := heap(), &meter{}
		write(t, format, m, true, map[string]int{"jsonl": 200_000, "json": 40_000, "csv": 40_000}[format], numbered)
		if m.written < 20<<20 || m.peak > before+8<<20 {
			t.Errorf(
				"%s: %d MB were written, the heap grew from %d to %d KB",
				format,
				m.written>>20,
				before>>10,
				m.peak>>10,
			)
		}
	}
}

func TestCellsAreInert(t *testing.T) {
	for _, cell := range []string{"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\ttext", "＝1+1", "＋1", "－1", "＠SUM(A1)", " =1", "\u200b=1",
		"\u00a0=1", "\ufeff=1", "\"=1", "'=1", "−1", "\x00=1", `=HYPERLINK("http://evil.example")`, "﹦1"} {
		row := cells(t, cell)
		if !strings.HasPrefix(row[14], "'") || row[14][1:] != strings.ReplaceAll(cell, "\r\n", "\n") {
			t.Errorf("%q becomes %q", cell, row[14])
		}
	}
	for _, cell := range []string{"", "text", "a=b", "1+1", "{\"a\": 1}", "ä", " text", "'quoted'"} {
		if row := cells(t, cell); row[14] != cell {
			t.Errorf("%q becomes %q", cell, row[14])
		}
	}
}

func cells(t testing.TB, message string) []string {
	t.Helper()
	var b bytes.Buffer
	write(
		t,
		"csv",
		&b,
		false,
		1,
		func(int) *mcpproxy.Record { return &mcpproxy.Record{ID: "r", ErrorMessage: message} },
	)
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 2 || len(rows[0]) != len(rows[1]) {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	return rows[1]
}

func FuzzCells(f *testing.F) {
	f.Add("=1")
	f.Add(" ＝1")
	f.Fuzz(func(t *testing.T, message string) {
		if cell := cells(t, message)[14]; strings.ContainsRune("=+-@\t\r＝＋－＠", []rune(cell + " ")[0]) {
			t.Errorf("%q becomes %q", message, cell)
		}
	})
}
