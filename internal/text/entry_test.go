package text_test

import (
	"testing"

	"mcpproxy/internal/text"
)

func TestTheValueOfAnEntryGoesByTheNameBesideIt(t *testing.T) {
	for _, c := range []struct {
		raw, value, name string
		cookie           bool
	}{
		{`{"env":[{"name":"PORT","value":"8080"},{"name":"API_KEY","value":"k1"}]}`, "k1", "API_KEY", false},
		{`{"env":[{"value":"k1","name":"API_KEY"}]}`, "k1", "API_KEY", false},
		{`{"Key":"API_KEY","Value":"k1"}`, "k1", "API_KEY", false},
		{`"{\"name\":\"API_KEY\",\"value\":\"k1\"}"`, "k1", "API_KEY", false},
		{`{"name":"sid","value":"k1","httpOnly":true}`, "k1", "sid", true},
		{`{"name":"API_KEY","other":"k1"}`, "k1", "", false},
		{`{"name":"API_KEY","x":{"value":"k1"}}`, "k1", "", false},
		{`{"value":"k1"}`, "k1", "", false},
		{`["value","k1"]`, "k1", "", false},
	} {
		d, err := text.Parse([]byte(c.raw), "r")
		if err != nil {
			t.Fatal(err)
		}
		met := false
		for i, p := range d.Parts {
			if p.Text != c.value {
				continue
			}
			met = true
			if name, cookie := d.Entry(i); name != c.name || cookie != c.cookie {
				t.Errorf("%s: the entry is %q, %v; want %q, %v", c.raw, name, cookie, c.name, c.cookie)
			}
		}
		if !met {
			t.Errorf("%s holds no %q", c.raw, c.value)
		}
	}
}
