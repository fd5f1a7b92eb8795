package detect_test

import (
	"testing"

	"mcpproxy/internal/text"
)

func TestAValueFromDocumentationIsAnExample(t *testing.T) {
	cases := []struct {
		name, text string
		want       bool
	}{
		{"a key of the provider's own pages", "AKIA" + "IOSFODNN7" + "EXAMPLE", true},
		{"a published test key", "sk_" + "test_" + "4eC39HqLyjWDarj" + "tT1zdp7dc", true},
		{"a value that counts up", "ghp_" + "1234567890abcdefghijklmnopqrstuvwxyz", true},
		{"one letter over and over", "SECRET_KEY_BASE=" + "q7qqqqqqqqqqqqqqqqqqqqqqqqqqqqq8", true},
		{"a fill-in", "ghp_" + "yourtoken" + mix(alnum, 27), true},
		{"a URL of the documentation", "postgres://user:" + "password@localhost/db", true},
		{"a URL of a host called sample", "postgres://app:" + mix(alnum, 12) + "@sample-db.internal/prod", false},
		{"a URL with a weak password", "postgres://app:" + "12345678@db.internal/prod", false},
		{"a card that a payment provider publishes for tests", "card number 4242 4242 4242 4242", true},
		{"a card", "card number 4539 1488 0343 6467", false},
		{"a real token", "ghp_" + mix(alnum, 36), false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, found := find(t, text.Quote(c.text))
			for _, f := range found {
				if f.Example != c.want {
					t.Errorf("%s %q: example is %v", f.Rule.ID, f.Value, f.Example)
				}
			}
			if len(found) == 0 && !c.want {
				t.Error("nothing found")
			}
		})
	}
}
