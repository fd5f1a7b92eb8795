package text

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// The result of parsing a value does not depend on the values parsed before, and it does not change when others are
// parsed later.
func TestAValueIsReadTheSameWhateverWasReadBefore(t *testing.T) {
	values := []string{
		`{"a":"b","c":[1,2,"d"]}`,
		`{"a":"x","a":"y"}`,
		`"{\"in\":\"side\",\"codes\":[72,101,108,108,111,33,33,33]}"`,
		`[1,`,
		strings.Repeat(
			"[",
			1001,
		),
		strings.Repeat("[", 500) + `"deep"` + strings.Repeat("]", 500),
		`"\ud800"`,
		``,
		`true true`,
		`{"text":"` + strings.Repeat("long ", 2000) + `"}`,
	}
	type read struct {
		Parts []Part
		Err   string
	}
	take := func(raw string) (*Document, read) {
		d, err := Parse([]byte(raw), "arguments")
		r := read{Parts: append([]Part(nil), d.Parts...)}
		if err != nil {
			r.Err = err.Error()
		}
		return d, r
	}
	first := map[string]read{}
	for _, v := range values {
		_, first[v] = take(v)
	}
	same := cmp.AllowUnexported(Part{})
	rapid.Check(t, func(t *rapid.T) {
		var docs []*Document
		order := rapid.SliceOfN(rapid.SampledFrom(values), 1, 12).Draw(t, "order")
		for _, v := range order {
			d, got := take(v)
			if diff := cmp.Diff(first[v], got, same, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%.80s: %s", v, diff)
			}
			docs = append(docs, d)
		}
		for i, d := range docs {
			if diff := cmp.Diff(first[order[i]].Parts, d.Parts, same, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("afterwards, %.80s: %s", order[i], diff)
			}
		}
	})
}

func TestTheNameOfAStructuredResultIsNoKeyThatWasTurnedAround(t *testing.T) {
	d, err := Parse([]byte(`{"structuredContent":{"token":"structuredContent1"}}`), "")
	if err != nil {
		t.Fatal(err)
	}
	turned := 0
	for _, v := range d.Views() {
		if v.Mirrored() {
			turned++
			if d.Parts[v.Part].Kind == Key {
				t.Errorf("%s of a name: %q", v.How, v.Text)
			}
		}
	}
	if turned != 2 {
		t.Errorf("%d readings of what looks like a key", turned)
	}
}
