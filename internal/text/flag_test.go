package text_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/text"
)

func TestFlagsAreWhatIsSwitchedOn(t *testing.T) {
	doc, err := text.Parse([]byte(`{"force": true, "quiet": false, "n": 1, "m": 10, "none": null, "list": [true, 1],
		"options": [{"hard": true}], "more": "{\"purge\": true}", "word": "true"}`), "arguments")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range doc.Flags {
		got = append(got, doc.Path(p)+"="+p.Text+" "+strings.Join(doc.Members(p), " "))
	}
	want := []string{
		"arguments.force=true force",
		"arguments.n=1 n",
		"arguments.options[0].hard=true options hard",
		"arguments.more.purge=true more purge",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, p := range doc.Parts {
		if p.Kind == text.Flag {
			t.Errorf("%s is among the texts", doc.Path(p))
		}
	}
}

func TestMembersAreTheWayToAPart(t *testing.T) {
	doc, err := text.Parse([]byte(`{"a": {"b": [{"c": "x"}]}}`), "arguments")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, doc.Members(doc.Parts[len(doc.Parts)-1])); diff != "" {
		t.Error(diff)
	}
	list, err := text.Parse([]byte(`["x"]`), "arguments")
	if err != nil {
		t.Fatal(err)
	}
	if got := list.Members(list.Parts[0]); len(got) > 0 {
		t.Errorf("%q, want nothing", got)
	}
}
