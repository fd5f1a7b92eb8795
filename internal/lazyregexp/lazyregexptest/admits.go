// Package lazyregexptest tests the filters of regular expressions.
package lazyregexptest

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"
	"unicode"

	"mcpproxy/internal/lazyregexp"
)

// tries is the number of texts of a test, and leastMatches how many of them must have a match.
const (
	tries        = 1000
	leastMatches = tries / 20
)

// Admits checks that the filter of an expression excludes some text, and that it admits every text with a match. The
// texts are made from the expression: they contain what it matches, next to other characters.
func Admits(t *testing.T, name string, f *lazyregexp.Filtered) {
	t.Helper()
	if !f.Filters() {
		t.Errorf("%s: the filter admits every text", name)
	}
	re, err := syntax.Parse(f.Regexp().String(), syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	matches := 0
	for range tries {
		s := noise(r) + sample(r, re) + noise(r)
		if !f.Regexp().MatchString(s) {
			continue
		}
		if matches++; !f.Admits(s) {
			t.Fatalf("%s matches %q, and the filter does not admit it", name, s)
		}
	}
	if matches < leastMatches {
		t.Errorf("%s: only %d of the texts have a match", name, matches)
	}
}

// noise returns a short text that is put next to a match.
func noise(r *rand.Rand) string {
	all := []string{"", " ", "x", "_", "\n", "(", "é", "\"", "word ", "0", "\u212a"}
	return all[r.IntN(len(all))] + all[r.IntN(len(all))]
}

// sample returns a text that the expression matches, unless an assertion is false in it.
func sample(r *rand.Rand, re *syntax.Regexp) string {
	var b strings.Builder
	write(r, &b, re)
	return b.String()
}

func write(r *rand.Rand, b *strings.Builder, re *syntax.Regexp) {
	least, most := 1, 1
	switch re.Op {
	case syntax.OpLiteral:
		for _, c := range re.Rune {
			for n := r.IntN(4); re.Flags&syntax.FoldCase != 0 && n > 0; n-- {
				c = unicode.SimpleFold(c)
			}
			b.WriteRune(c)
		}
		return
	case syntax.OpCharClass:
		i := 2 * r.IntN(len(re.Rune)/2)
		b.WriteRune(re.Rune[i] + rune(r.IntN(int(min(re.Rune[i+1]-re.Rune[i]+1, 100)))))
		return
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
		return
	case syntax.OpAlternate:
		write(r, b, re.Sub[r.IntN(len(re.Sub))])
		return
	case syntax.OpStar:
		least, most = 0, 3
	case syntax.OpPlus:
		most = 3
	case syntax.OpQuest:
		least = 0
	case syntax.OpRepeat:
		least, most = re.Min, max(re.Min, re.Max)
	}
	for range least + r.IntN(most-least+1) {
		for _, sub := range re.Sub {
			write(r, b, sub)
		}
	}
}
