package match

import "testing"

// The recipient of a message is not data, in any notation. Other content in a parameter for recipients is data.
func TestAddressing(t *testing.T) {
	for name, c := range map[string]struct {
		field, value string
		want         bool
	}{
		"an address":                      {"to", "lena.hoffmann@partner.example", true},
		"an address after a name":         {"to", "Lena Hoffmann <lena.hoffmann@partner.example>", true},
		"a name and an address elsewhere": {"body", "Lena Hoffmann <lena.hoffmann@partner.example>", false},
		"a sentence before the address":   {"to", "we close Rotterdam on the ninth <a@partner.example>", false},
		"words instead of an address":     {"cc", "Lena <we close on Friday @ nine.thirty>", false},
		"words":                           {"to", "all of the sales team", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := addressing(c.field, c.value); got != c.want {
				t.Errorf("addressing(%q, %q) = %v", c.field, c.value, got)
			}
		})
	}
}

// A result can hide data in the names of members.
func TestNamesTooLongToBeNamesAreData(t *testing.T) {
	x := New()
	x.Add(document(t, map[string]any{"structured": map[string]any{told: 1}}), options, Source{ID: 1})
	if hits := x.Find(NewQuery(document(t, "They say that "+told), nil, options), ""); len(hits) == 0 {
		t.Error("data in the name of a member is not a hit")
	}
}
