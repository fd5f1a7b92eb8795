package text_test

import (
	"testing"

	"mcpproxy/internal/text"
)

func TestPartsOfOneRecordHaveOneNumber(t *testing.T) {
	doc, err := text.Parse(
		[]byte(
			`{"kind":"list","data":[{"name":"a","home":{"city":"b"},"tags":["c","d"]},{"name":"e"}],"rows":["f","g"]}`,
		),
		"r",
	)
	if err != nil {
		t.Fatal(err)
	}
	records := map[string]int{}
	for _, p := range doc.Parts {
		if p.Kind == text.Value {
			records[p.Text] = doc.Record(p)
		}
	}
	for _, c := range []struct {
		one, other string
		same       bool
	}{
		{"a", "b", true}, {"a", "c", true}, {"c", "d", true}, {"a", "e", false}, {"a", "list", false}, {"f", "g", true}, {"f", "list", true},
	} {
		if same := records[c.one] == records[c.other]; same != c.same {
			t.Errorf("%q and %q are of one record: %v, want %v", c.one, c.other, same, c.same)
		}
	}
}
