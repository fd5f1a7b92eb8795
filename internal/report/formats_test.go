package report

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestJUnitCountsAndSaysWhatIsMissing(t *testing.T) {
	var out bytes.Buffer
	err := WriteJUnit(&out, "all", []Suite{
		{
			Name:       "one",
			Time:       "2026-03-01T12:00:00",
			Properties: [][2]string{{"target", "a<b"}},
			Cases: []Case{{Class: "one", Name: "good", Seconds: 0.5},
				{
					Class:   "one",
					Name:    "bad",
					Seconds: 0.25,
					Failure: "no \x01&",
					Text:    "more",
				}, {Class: "one", Name: "later", Skipped: "why"}},
		},
		{Name: "two", Cases: []Case{{Name: "good"}}, Error: "stopped"}})
	if err != nil {
		t.Fatal(err)
	}
	var back junitSuites
	if err := xml.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	one, two := back.Suites[0], back.Suites[1]
	if back.Tests != 5 || back.Failures != 1 || back.Errors != 1 || back.Time != "0.750" || one.Skipped != 1 ||
		one.Failures != 1 ||
		two.Errors != 1 ||
		two.Tests != 2 {
		t.Errorf("the counts are wrong:\n%s", &out)
	}
	c := one.Cases[1]
	if c.Failure.Message != "no \uFFFD&" || c.Failure.Text != "more" || one.Cases[2].Skipped.Message != "why" ||
		two.Cases[1].Error.Message != "stopped" {
		t.Errorf("the cases are wrong:\n%s", &out)
	}
	if err := WriteJUnit(full{}, "all", nil); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}

func TestMarkdownShowsTextAsItIs(t *testing.T) {
	for in, want := range map[string]string{
		"plain text, 7 ms (ok)":           "plain text, 7 ms (ok)",
		"a | b":                           `a \| b`,
		"two\nlines\t and \x00more":       "two lines and more",
		"<script>&":                       "&lt;script>&amp;",
		"[a](javascript:b) ![c](d)":       `\[a\](javascript:b) \!\[c\](d)`,
		"see https://e.example/x":         "see https&#58;//e.example/x",
		"*x* _y_ `z` ~~w~~ #1 @me \\ end": "\\*x\\* \\_y\\_ \\`z\\` \\~\\~w\\~\\~ \\#1 &#64;me \\\\ end",
	} {
		if got := MarkdownText(in); got != want {
			t.Errorf("%q is written %q, want %q", in, got, want)
		}
	}
	if got := MarkdownTable(
		[]string{"a", "b"},
		[][]string{{"1", "2|3"}},
	); got != "| a | b |\n|---|---|\n| 1 | 2\\|3 |\n" {
		t.Errorf("the table is %q", got)
	}
}

func TestAWorkbookHoldsItsCells(t *testing.T) {
	var out bytes.Buffer
	sheets := []Sheet{
		{"summary", [][]any{{"name", "n"}, {"=1+1", 7}, {true, 1.5}, {nil, strings.Repeat("x", 40000)}}},
		{"second", nil},
	}
	if err := WriteXLSX(&out, sheets); err != nil {
		t.Fatal(err)
	}
	parts := unzip(t, out.Bytes())
	sheet := parts["xl/worksheets/sheet1.xml"]
	for _, want := range []string{`<c r="A1" s="1" t="inlineStr"><is><t xml:space="preserve">name</t></is></c>`, `<c r="A2" t="inlineStr"><is><t xml:space="preserve">=1+1</t></is></c>`,
		`<c r="B2"><v>7</v></c>`, `<c r="A3" t="b"><v>1</v></c>`, `<c r="B3"><v>1.5</v></c>`, `<row r="4"><c r="B4"`} {
		if !strings.Contains(sheet, want) {
			t.Errorf("%s is not in\n%.2000s", want, sheet)
		}
	}
	if strings.Contains(sheet, "<f>") || strings.Contains(sheet, strings.Repeat("x", maxCell)) ||
		parts["xl/worksheets/sheet2.xml"] == "" {
		t.Error("a formula, a text that is too long, or a sheet that is missing")
	}
}

func TestWhatHasNoFormInAWorkbookIsAnErrorAndWritesNothing(t *testing.T) {
	for name, sheets := range map[string][]Sheet{
		"no sheet":            nil,
		"no name":             {{}},
		"a name with a slash": {{Name: "a/b"}},
		"a name too long":     {{Name: strings.Repeat("x", 32)}},
		"a slice":             {{"s", [][]any{{[]int{1}}}}},
		"no number":           {{"s", [][]any{{math.NaN()}}}},
	} {
		var out bytes.Buffer
		if err := WriteXLSX(&out, sheets); err == nil || out.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", name, err, out.Len())
		}
	}
	if err := WriteXLSX(full{}, []Sheet{{Name: "s"}}); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}

func TestColumnsAreNamedAsSpreadsheetsDo(t *testing.T) {
	for x, want := range map[int]string{
		0:     "A",
		25:    "Z",
		26:    "AA",
		51:    "AZ",
		52:    "BA",
		701:   "ZZ",
		702:   "AAA",
		16383: "XFD",
	} {
		if got := columnName(x); got != want {
			t.Errorf("column %d is %s, want %s", x, got, want)
		}
	}
}

func TestTheXMLIsValidWhateverTheTextsContain(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(rt, "text"))
		var book, units bytes.Buffer
		if err := WriteXLSX(&book, []Sheet{{"s", [][]any{{s, s}}}}); err != nil {
			rt.Fatal(err)
		}
		if err := WriteJUnit(&units, s, []Suite{{
			Name:       s,
			Error:      s,
			Properties: [][2]string{{s, s}},
			Cases: []Case{{
				Name:    s,
				Failure: s,
				Text:    s,
				Output:  s,
			}},
		}}); err != nil {
			rt.Fatal(err)
		}
		texts := []string{units.String()}
		for _, p := range unzip(t, book.Bytes()) {
			texts = append(texts, p)
		}
		for _, x := range texts {
			for d := xml.NewDecoder(strings.NewReader(x)); ; {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					rt.Fatalf("%v in %q", err, x)
				}
			}
		}
		if line := MarkdownText(s); strings.ContainsAny(line, "\n\r<") {
			rt.Fatalf("%q is written %q", s, line)
		}
	})
}

// unzip returns the parts of a workbook.
func unzip(t *testing.T, raw []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name] = string(body)
	}
	return out
}
