package text_test

import (
	"slices"
	"strings"
	"testing"

	"mcpproxy/internal/text"
)

func TestRewriteReplacesStretchesAndNothingElse(t *testing.T) {
	cases := []struct {
		name, raw string
		find      string // in the part's text
		with      string
		want      string
	}{
		{"a value", `{"a" : "x secret y", "n":1e5}`, "secret", "-", `{"a" : "x - y", "n":1e5}`},
		{"a name", `{"secret":1}`, "secret", "-", `{"-":1}`},
		{"a number", `[12345, 7]`, "12345", "-", `["-", 7]`},
		{
			"JSON in a string",
			`{"t":"{\"k\": \"my secret\", \"n\":1}"}`,
			"secret",
			"-",
			`{"t":"{\"k\": \"my -\", \"n\":1}"}`,
		},
		{
			"JSON in a string in a string",
			`["  [\"{\\\"k\\\":\\\"secret\\\"}\"]"]`,
			"secret",
			"-",
			`["  [\"{\\\"k\\\":\\\"-\\\"}\"]"]`,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d, err := text.Parse([]byte(c.raw), "r")
			if err != nil {
				t.Fatal(err)
			}
			var edits []text.Edit
			for i, p := range d.Parts {
				if at := strings.Index(p.Text, c.find); at >= 0 && !strings.ContainsAny(p.Text, "{[") {
					edits = append(
						edits,
						text.Edit{Span: text.Span{Part: i, Start: at, End: at + len(c.find)}, With: c.with},
					)
				}
			}
			if got := string(d.Rewrite(edits)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestADocumentHoldsOnlyTheBytesThatItWasReadFrom(t *testing.T) {
	raw := []byte(`{"a":"b"}`)
	doc, err := text.Parse(raw, "")
	if err != nil {
		t.Fatal(err)
	}
	changed := doc.Rewrite([]text.Edit{{Span: text.Span{Part: 1, Start: 0, End: 1}, With: "c"}})
	if !doc.Holds(doc.Rewrite(nil)) || doc.Holds(changed) || doc.Holds(slices.Clone(raw)) || doc.Holds(nil) {
		t.Error("a document takes other bytes for its own, or does not know its own")
	}
	if (*text.Document)(nil).Holds(raw) {
		t.Error("no document holds something")
	}
}
