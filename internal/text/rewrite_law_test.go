package text_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpproxy/internal/cputime"
	"mcpproxy/internal/text"
)

// cutSpan draws a stretch of s at character boundaries.
func cutSpan(t *rapid.T, s string) (start, end int) {
	var at []int
	for i := range s {
		at = append(at, i)
	}
	at = append(at, len(s))
	i := rapid.IntRange(0, len(at)-1).Draw(t, "start")
	j := rapid.IntRange(i, len(at)-1).Draw(t, "end")
	return at[i], at[j]
}

// After any replacement the result is valid JSON, and everything without an edit is unchanged, also in JSON inside
// strings.
func TestRewritingLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw, err := json.Marshal(drawJSON(t, 4))
		if err != nil {
			t.Fatal(err)
		}
		d, err := text.Parse(raw, "r")
		if err != nil {
			t.Skip("not read")
		}
		inside := insides(d)
		edited := map[int]bool{}
		var edits []text.Edit
		for range rapid.IntRange(0, 4).Draw(t, "edits") {
			if len(d.Parts) == 0 {
				break
			}
			i := rapid.IntRange(0, len(d.Parts)-1).Draw(t, "part")
			if inside[i] { // JSON inside is edited through its own parts
				continue
			}
			start, end := cutSpan(t, d.Parts[i].Text)
			edits = append(
				edits,
				text.Edit{
					Span: text.Span{Part: i, Start: start, End: end},
					With: rapid.SampledFrom([]string{"", "-", `"`, `\`, "[x:1]", "é\n"}).Draw(t, "with"),
				},
			)
			edited[i] = true
		}
		got := d.Rewrite(edits)
		if !json.Valid(got) {
			t.Fatalf("%s became %s", raw, got)
		}
		if len(edits) == 0 && string(got) != string(raw) {
			t.Fatalf("without edits %s became %s", raw, got)
		}
		after, err := text.Parse(got, "r")
		if err != nil {
			return // two names became equal
		}
		if len(after.Parts) != len(d.Parts) {
			return // an edit created or broke JSON in a string, or shortened a number
		}
		for i, p := range d.Parts {
			if !edited[i] && !inside[i] && after.Parts[i].Text != p.Text {
				t.Fatalf(
					"part %d was %q and is %q, though nobody edited it: %s became %s",
					i,
					p.Text,
					after.Parts[i].Text,
					raw,
					got,
				)
			}
			if inside[i] && json.Valid([]byte(p.Text)) && !json.Valid([]byte(after.Parts[i].Text)) {
				t.Fatalf("the JSON in a string is none any more: %q became %q", p.Text, after.Parts[i].Text)
			}
		}
	})
}

// insides says which parts contain other parts.
func insides(d *text.Document) map[int]bool {
	all := map[int]bool{}
	for i := range d.Parts {
		if host, ok := d.Host(text.Span{Part: i}); ok {
			all[host.Part] = true
		}
	}
	return all
}

func TestOverlappingEditsLeaveNothingOfTheStretch(t *testing.T) {
	d, err := text.Parse([]byte(`["0123456789","x"]`), "r")
	if err != nil {
		t.Fatal(err)
	}
	edit := func(start, end int, with string) text.Edit {
		return text.Edit{Span: text.Span{Part: 0, Start: start, End: end}, With: with}
	}
	for name, c := range map[string]struct {
		edits []text.Edit
		want  string
	}{
		"one in the other":     {[]text.Edit{edit(2, 8, "A"), edit(3, 5, "B")}, `["01A89","x"]`},
		"one over the other":   {[]text.Edit{edit(3, 5, "B"), edit(2, 8, "A")}, `["01A89","x"]`},
		"a chain of three":     {[]text.Edit{edit(4, 7, "C"), edit(0, 3, "A"), edit(2, 5, "B")}, `["A789","x"]`},
		"side by side":         {[]text.Edit{edit(5, 10, "B"), edit(0, 5, "A")}, `["AB","x"]`},
		"the same twice":       {[]text.Edit{edit(2, 4, "A"), edit(2, 4, "A")}, `["01A456789","x"]`},
		"the same start":       {[]text.Edit{edit(2, 4, "A"), edit(2, 9, "B")}, `["01A9","x"]`},
		"an insertion":         {[]text.Edit{edit(5, 5, "-")}, `["01234-56789","x"]`},
		"the whole text":       {[]text.Edit{edit(0, 10, "")}, `["","x"]`},
		"what needs an escape": {[]text.Edit{edit(0, 9, "\"\\\n")}, `["\"\\\n9","x"]`},
	} {
		if diff := cmp.Diff(c.want, string(d.Rewrite(c.edits))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestManyEditsTakeLinearTime(t *testing.T) {
	cost := func(n int) time.Duration {
		inner := `["` + strings.Repeat(`abcdefgh","`, n) + `x"]`
		d, err := text.Parse([]byte(`{"t":`+quoted(inner)+`,"u":`+quoted(strings.Repeat("abcdefgh ", n))+`}`), "r")
		if err != nil {
			t.Fatal(err)
		}
		var edits []text.Edit
		for i, p := range d.Parts {
			switch {
			case p.Text == "abcdefgh":
				edits = append(edits, text.Edit{Span: text.Span{Part: i, Start: 2, End: 5}, With: "-"})
			case strings.HasPrefix(p.Text, "abcdefgh "):
				for at := n - 1; at >= 0; at-- {
					edits = append(edits, text.Edit{Span: text.Span{Part: i, Start: 9 * at, End: 9*at + 8}, With: "-"})
				}
			}
		}
		best := time.Hour
		for range 3 {
			best = min(best, cputime.Of(func() {
				if !json.Valid(d.Rewrite(edits)) {
					t.Fatal("no JSON")
				}
			}))
		}
		return best
	}
	if small, large := cost(1000), cost(10_000); large > 40*small && large > 100*time.Millisecond {
		t.Errorf("1000 edits take %v, 10,000 take %v", small, large)
	}
}

func TestNeighbours(t *testing.T) {
	for name, c := range map[string]struct {
		raw  string
		want []string // the texts of each group, joined by bars
	}{
		"the members of an object":        {`{"a":"1a","b":"2b","c":"3c"}`, []string{"1a|2b|3c"}},
		"the items of an array":           {`["1a","2b"]`, []string{"1a|2b"}},
		"one value alone":                 {`{"a":"1a"}`, nil},
		"nothing":                         {`{}`, nil},
		"the texts of a result":           {`{"content":[{"type":"text","text":"1a"},{"type":"text","text":"2b"}]}`, []string{"text|1a", "text|2b", "1a|2b"}},
		"values around an object":         {`{"a":"1a","o":{"x":"9x"},"b":"2b"}`, []string{"1a|2b"}},
		"numbers that can be identifiers": {`["1a",123456,"2b"]`, []string{"1a|123456|2b"}},
		"short numbers and nulls between": {`["1a",1,null,true,"2b"]`, []string{"1a|2b"}},
		"JSON in a string":                {quoted(`{"a":"1a","b":"2b"}`), []string{"1a|2b"}},
		"arrays in an array":              {`[["1a","2b"],["3c","4d"]]`, []string{"1a|2b", "3c|4d"}},
		"members no text stands under":    {`[{"id":"1a"},{"id":"2b"}]`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := text.Parse([]byte(c.raw), "r")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, group := range d.Neighbours() {
				var texts []string
				for _, i := range group {
					texts = append(texts, d.Parts[i].Text)
				}
				got = append(got, strings.Join(texts, "|"))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
