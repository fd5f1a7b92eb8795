package detect_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
	"mcpproxy/internal/text"
)

func TestEveryRuleSeesThroughDisguises(t *testing.T) {
	for id, s := range samples {
		if s.named {
			continue // encoded names are a different case
		}
		middle := strings.Index(s.text(), s.value) + len(s.value)/2
		for name, in := range map[string]string{
			"a zero-width space": s.text()[:middle] + "\u200b" + s.text()[middle:],
			"a full-width start": wide(s.text(), 6),
		} {
			if got := values(t, id, in); len(got) == 0 {
				t.Errorf("%s: nothing found behind %s", id, name)
			}
		}
	}
}

// wide returns s with its first n letters and digits in their full-width forms.
func wide(s string, n int) string {
	return strings.Map(func(r rune) rune {
		if n > 0 && strings.ContainsRune(alnum, r) {
			n--
			return r + 0xfee0
		}
		return r
	}, s)
}

func TestExamplesAreMarked(t *testing.T) {
	cases := []struct {
		name, value string
		want        bool
	}{
		{"a documentation key", "AKIA" + "IOSFODNN7" + "EXAMPLE", true},
		{"a fill-in", "ghp_" + "yourkey" + mix(alnum, 29), true},
		{"a real one", "ghp_" + mix(alnum, 36), false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, found := find(t, text.Quote(c.value))
			if len(found) != 1 || found[0].Signal().Example != c.want {
				t.Errorf("%+v", found)
			}
		})
	}
}

// Shows: RFC-17.
func TestFindingsPointToTheirPart(t *testing.T) {
	github, aws := samples["github_token"].value, samples["aws_access_key"].value
	raw := `{"a":["x","` + github + ` and ` + github + `"],"b":{"` + aws + `":1},"c":"{\"inner\":\"` + github + `\"}"}`
	doc, found := find(t, []byte(raw))
	var got []string
	for _, f := range found {
		where, _, _ := strings.Cut(f.Path, "[aws_access_key") // the masked key
		got = append(got, f.Rule.ID+" at "+strings.TrimRight(where, `.["`))
		if !strings.Contains(doc.Parts[f.Part()].Text, f.Value) {
			t.Errorf("%s is not in part %d", f.Rule.ID, f.Part())
		}
	}
	want := []string{
		"github_token at arguments.a[1]",
		"github_token at arguments.a[1]",
		"aws_access_key at arguments.b",
		"github_token at arguments.c.inner",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Shows: RFC-17.
func TestASignalHoldsNoSecret(t *testing.T) {
	for id, s := range samples {
		_, found := find(t, text.Quote(s.text()))
		for _, f := range found {
			got := f.Signal()
			if got.Source != mcpproxy.SourcePII || got.Kind != f.Rule.ID || got.Category != f.Rule.Category ||
				!strings.HasPrefix(got.Path, "arguments") {
				t.Errorf("%s: %+v", id, got)
			}
			if strings.Contains(got.Evidence, f.Value[:min(len(f.Value), 12)]) {
				t.Errorf("%s: the evidence %q tells too much", id, got.Evidence)
			}
		}
	}
}

// A finding's spans contain its value.
func TestAFindingIsWhereItsSpansAre(t *testing.T) {
	for id, s := range samples {
		for _, at := range []int{len(s.text()) / 4, len(s.text()) / 2, len(s.text()) * 3 / 4} {
			raw := append(append(append([]byte{'['}, text.Quote(s.text()[:at])...), ','), text.Quote(s.text()[at:])...)
			doc, found := find(t, append(raw, ']'))
			for _, f := range found {
				if f.How != "" && f.How != "split" {
					continue // the spans contain the encoded value
				}
				pieces := ""
				for _, span := range f.Spans {
					pieces += doc.Parts[span.Part].Text[span.Start:span.End]
				}
				if pieces != f.Value {
					t.Errorf("%s, cut at %d: found %q, which is %q", id, at, f.Value, pieces)
				}
			}
		}
	}
}

func TestATokenWithItsChecksumIsCertain(t *testing.T) {
	for _, c := range []struct {
		name, value string
		sure        float64
		example     bool
	}{
		{"a token with its checksum", "ghp_" + crcBody + crcTail, 1, false},
		{"the same with another letter", "ghp_" + crcBody[:29] + "1" + crcTail, 0.99, false},
		{"what looks like an example, with its checksum", "ghp_" + exampleBody + exampleTail, 1, false},
		{"what looks like an example", "ghp_" + exampleBody + "000000", 0.99, true},
		{"npm's", "npm_" + crcBody + crcTail, 1, false},
	} {
		_, found := find(t, text.Quote("token "+c.value))
		if len(found) != 1 || found[0].Confidence != c.sure || found[0].Example != c.example {
			t.Errorf("%s: %+v", c.name, found)
		}
	}
}

// Bodies of 30 characters and their checksums, made with another implementation.
const (
	crcBody     = "q7Zk2mW9xT4vB8nC3hD6jF5pL1sR0g"
	crcTail     = "25BiQD"
	exampleBody = "EXAMPLEexampleEXAMPLEexample00"
	exampleTail = "2dPYoc"
)
