package scan

import (
	"strings"
	"testing"
)

func FuzzBeginsJSON(f *testing.F) {
	for _, s := range []string{`{"role":"system"`, "{ 'role' :\n\\\"system\\\"", `{"roles":1`, `{`, ""} {
		f.Add(s)
	}
	even := strings.NewReplacer(" ", "", "\n", "", "'", `"`, `\`, "")
	f.Fuzz(func(t *testing.T, s string) {
		for _, begin := range []string{`{"role":"system"`, `{"tool_calls":`, `{"`} {
			if got, want := beginsJSON(s, begin), strings.HasPrefix(even.Replace(s), begin); got != want {
				t.Errorf("beginsJSON(%q, %q) = %t", s, begin, got)
			}
		}
	})
}

func TestAPlaceholderInAnAddressIsFoundInEveryNotation(t *testing.T) {
	for query, want := range map[string]bool{
		"q=[DATA]":           true,
		"q=%5BData%5D":       true,
		"q={summary}":        true,
		"q=%3csecret%3E":     true,
		"q=$token":           true,
		"q=data&token=1":     false,
		"q=[1]":              false,
		"q=%20data":          false,
		"page=2#information": false,
	} {
		if got := hasPlaceholder(query); got != want {
			t.Errorf("hasPlaceholder(%q) = %t", query, got)
		}
	}
}
