package intent

import (
	"slices"
	"testing"
)

// plainTokens is a simple [tokens], which reads one character at a time.
func plainTokens(s string) (all []string) {
	start, wide := -1, false
	for i, r := range s + " " {
		if start >= 0 && (!isLetter(r) || unspaced(r) != wide) {
			all = append(all, s[start:i])
			start = -1
		}
		if start < 0 && isLetter(r) {
			start, wide = i, unspaced(r)
		}
	}
	return all
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{
		"", "send 2 files", "naïve café, ok?", "送信してください now", "a送b", "x\xffy\xe2\x84z", "हिन्दी में", "한국어 text",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := slices.Collect(tokens(s)), plainTokens(s); !slices.Equal(got, want) {
			t.Errorf("the tokens of %q are %q, want %q", s, got, want)
		}
	})
}
