package eval

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// folder writes files and returns their folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func texts(rows []row[contentRow]) []string {
	var out []string
	for _, r := range rows {
		out = append(out, *r.data.Text)
	}
	return out
}

func TestInputsAreReadInOrder(t *testing.T) {
	dir := folder(t, map[string]string{
		"b.jsonl": `{"text":"b1","label":"benign","kind":"mail"}` + "\n\n" + `{"text":"b2","label":"injection","kind":"page","more":{"x":[1]}}`,
		"a.jsonl": `{"text":"a1","label":"benign","kind":"page"}` + "\r\n",
		"c.json":  "no part of this",
	})
	odd := filepath.Join(dir, "[x]*")
	if err := os.Mkdir(odd, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(odd, "d.jsonl"), []byte(`{"text":"d1","label":"benign"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	b := filepath.Join(dir, "b.jsonl")
	for _, tt := range []struct {
		name string
		o    Options
		want string
	}{
		{"a file", Options{Inputs: []string{b}}, "b1 b2"},
		{"a folder, its files by name", Options{Inputs: []string{dir}}, "a1 b1 b2"},
		{"a folder with a strange name", Options{Inputs: []string{odd}}, "d1"},
		{"several inputs", Options{Inputs: []string{b, odd, b}}, "b1 b2 d1 b1 b2"},
		{"standard input", Options{Inputs: []string{"-"}, Stdin: strings.NewReader(`{"text":"s","label":"benign"}`)}, "s"},
		{"one kind", Options{Inputs: []string{dir}, Kinds: []string{"page"}}, "a1 b2"},
		{"the first rows", Options{Inputs: []string{dir, odd}, Limit: 2}, "a1 b1"},
		{"the first rows of a kind", Options{Inputs: []string{dir}, Kinds: []string{"mail", "page"}, Limit: 2}, "a1 b1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rows, err := read[contentRow](tt.o)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(texts(rows), " "); got != tt.want {
				t.Errorf("read %s, want %s", got, tt.want)
			}
		})
	}
}

func TestRowsKnowTheirPlace(t *testing.T) {
	dir := folder(
		t,
		map[string]string{
			"x.jsonl": "\n{\"text\":\"one\",\"label\":\"benign\"}\n\n{\"text\":\"two\",\"label\":\"benign\"}\n",
		},
	)
	rows, err := read[contentRow](Options{Inputs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, r := range rows {
		got = append(got, r.Line)
	}
	if !slices.Equal(got, []int{2, 4}) || filepath.Base(rows[0].File) != "x.jsonl" {
		t.Errorf("the rows stand on lines %d of %s", got, rows[0].File)
	}
}

func TestAnInvalidLineIsAnErrorWithItsPosition(t *testing.T) {
	const good = `{"text":"x","label":"benign"}` + "\n"
	for _, tt := range []struct{ name, body, want string }{
		{"not JSON", good + "nonsense", "stdin:2: "},
		{"a cut line", good + good + `{"text":"x`, "stdin:3: "},
		{"two values on a line", `{"text":"x","label":"benign"} {}`, "stdin:1: "},
		{"a key twice", `{"text":"x","label":"benign","label":"injection"}`, "duplicate"},
		{"no text", `{"label":"benign"}`, `stdin:1: "text" is missing`},
		{"no label", "\n" + `{"text":"x"}`, `stdin:2: "label" must be injection or benign`},
		{"a label of another format", `{"text":"x","label":"malicious"}`, `"label" must be injection or benign`},
		{"a key in another case", `{"Text":"x","label":"benign"}`, `"text" is missing`},
		{"a wrong type", `{"text":7,"label":"benign"}`, `/text`},
		{"an array", `[]`, "stdin:1: "},
		{"nothing", "", "the input has no rows"},
		{"empty lines only", "\n \n", "the input has no rows"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read[contentRow](Options{Inputs: []string{"-"}, Stdin: strings.NewReader(tt.body)})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestMissingInputsAreErrors(t *testing.T) {
	empty := t.TempDir()
	dir := folder(t, map[string]string{"a.jsonl": `{"text":"x","label":"benign","kind":"mail"}`})
	for _, tt := range []struct {
		name string
		o    Options
		want string
	}{
		{"no such file", Options{Inputs: []string{filepath.Join(empty, "none.jsonl")}}, "none.jsonl"},
		{"a folder without rows", Options{Inputs: []string{empty}}, "no *.jsonl files"},
		{"no rows of the kind", Options{Inputs: []string{dir}, Kinds: []string{"post"}}, `only of ["mail"]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := read[contentRow](tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestASensitiveRowMustSayWhetherItIsPositive(t *testing.T) {
	_, err := read[sensitiveRow](
		Options{Inputs: []string{"-"}, Stdin: strings.NewReader(`{"text":"x","label":"CARD"}`)},
	)
	if err == nil || !strings.Contains(err.Error(), `stdin:1: "positive" must say`) {
		t.Error(err)
	}
}

func TestInvalidUTF8IsReadToo(t *testing.T) {
	rows, err := read[contentRow](
		Options{Inputs: []string{"-"}, Stdin: strings.NewReader(`{"text":"a\ud800b` + "\xff" + `","label":"benign"}`)},
	)
	if err != nil {
		t.Fatal(err)
	}
	if got := *rows[0].data.Text; got != "a\uFFFDb\uFFFD" {
		t.Errorf("%q", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"text":"x","label":"benign","kind":"k"}` + "\n" + `{"text":"y","label":"injection"}`))
	f.Add(
		[]byte(
			`{"text":"a\ud800","label":"CARD|PERSON","values":["1"],"positive":true,"spans":[{"entity":"CARD","value":"1"}]}`,
		),
	)
	f.Add([]byte("\n\n[]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := bytes.Count(data, []byte("\n")) + 1
		last := 0
		_, err := readRows("in", bytes.NewReader(data), func(r row[sensitiveRow]) bool {
			if r.Line <= last || r.Line > lines || !utf8.ValidString(*r.data.Text) {
				t.Fatalf("row on line %d after %d of %d: %q", r.Line, last, lines, *r.data.Text)
			}
			last = r.Line
			return true
		})
		if err != nil && !strings.HasPrefix(err.Error(), "in:") {
			t.Fatalf("the error names no place: %v", err)
		}
	})
}
