package detect

import (
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

func TestWhatEveryMatchContains(t *testing.T) {
	for _, c := range []struct {
		pattern string
		want    []string
	}{
		{`\b(AccountKey\s{0,2}=\s{0,2}[a-z]{86})`, []string{"accountkey"}},
		{`(?:mysql|psql)\s+-p`, []string{"mysql", "psql"}},
		{`x[0-9]{3}(?:private|public)_key`, []string{"private_key", "public_key"}},
		{`\.(?:p12|pfx)\b`, []string{".p12", ".pfx"}},
		{`(?:secret)?[a-z]+`, nil}, // the only word may be missing
		{`(?:secret){0,3}`, nil},
		{`(?:secret){2,3}`, []string{"secret"}},
		{`(?:secret)+`, []string{"secret"}},
		{`token|[a-z]{20}`, nil}, // one alternative requires nothing
		{`[a-z]{8,}`, nil},
		{`(?i)sch\x{fc}ssel`, []string{"schÜssel", "schüssel"}},
	} {
		re, err := syntax.Parse(c.pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		if got := partsOf(re); !slices.Equal(got, c.want) {
			t.Errorf("every match of %s contains one of %q, want %q", c.pattern, got, c.want)
		}
	}
}

func TestALetterBeyondASCIIPassesTheSieve(t *testing.T) {
	s := newSieve([]string{"secret_key"})
	for text, want := range map[string]bool{
		"SECRET_Key":           true,
		"secret key":           false,
		"\u017fecret_key":      true, // a pattern without case takes a long s for an s
		"secret_\u212aey":      true, // and the Kelvin sign for a k
		"secret_ke":            false,
		"a secret_secret_key.": true,
	} {
		if got := s.passes([]byte(text)); got != want {
			t.Errorf("%q passes: %v, want %v", text, got, want)
		}
	}
}

// FuzzSieve compares the sieve with a search for each part.
func FuzzSieve(f *testing.F) {
	_, d := setOfAll()
	var parts []string
	for _, i := range d.points.groups[ofRare].of {
		parts = append(parts, d.located[i].parts...)
	}
	for _, p := range parts[:40] {
		f.Add(strings.ToUpper(p))
		f.Add("x" + p + "\xff")
		f.Add(p[1:])
	}
	f.Fuzz(func(t *testing.T, s string) {
		lower := []byte(s)
		for i, c := range lower {
			lower[i] = folded[c]
		}
		want := holdsFoldedLetter([]byte(s)) ||
			slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(string(lower), p) })
		if got := d.points.rare.passes([]byte(s)); got != want {
			t.Errorf("%q passes: %v, want %v", s, got, want)
		}
	})
}
