package lazyregexp

import (
	"math/bits"
	"regexp/syntax"
	"slices"
	"strings"
)

// filter finds texts that can contain a match.
type filter struct {
	texts [][]string // literal texts by group; nil if nothing is certain about a match
	// next are, by position and byte, the groups with a text that has this byte at this position. The last entry is
	// for the end of the text.
	next [lookAhead][257]uint64
}

// lookAhead is how many bytes of a literal text are compared at every position of a text.
const lookAhead = 3

const (
	groups = 64
	beyond = 256 // stands for a byte after the end of the text
)

func newFilter(expr string) *filter {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic(err)
	}
	l := literalsOf(re.Simplify())
	texts := l.best()
	f := &filter{}
	if texts == nil {
		return f
	}
	texts = slices.Compact(slices.Sorted(slices.Values(texts)))
	f.texts = make([][]string, groups)
	for i, text := range texts {
		f.add(i*groups/len(texts), text)
	}
	return f
}

// add adds a literal text to a group. Sorted texts that share their first bytes are in the same group.
func (f *filter) add(group int, text string) {
	f.texts[group] = append(f.texts[group], text)
	plain := strings.TrimLeft(text, string(boundary))
	plain, _, _ = strings.Cut(plain, string(boundary))
	bit := uint64(1) << group
	for i := range f.next {
		next := &f.next[i]
		if i >= len(plain) {
			for c := range next {
				next[c] |= bit
			}
			continue
		}
		c := plain[i]
		next[c] |= bit
		if 'a' <= c && c <= 'z' {
			next[c-'a'+'A'] |= bit
		}
	}
}

// admits reports whether a text contains one of the literal texts.
func (f *filter) admits(s string) bool {
	if f.texts == nil {
		return true
	}
	first, second := &f.next[0], &f.next[1]
	third := &f.next[2]
	last := len(s) - lookAhead + 1
	for i := 0; i < last; i++ {
		if found := first[s[i]] & second[s[i+1]] & third[s[i+2]]; found != 0 && f.begins(s, i, found) {
			return true
		}
	}
	for i := max(last, 0); i < len(s); i++ {
		found := first[s[i]] & third[beyond]
		if i+1 < len(s) {
			found &= second[s[i+1]]
		} else {
			found &= second[beyond]
		}
		if found != 0 && f.begins(s, i, found) {
			return true
		}
	}
	// In an expression that ignores case, s also matches U+017F (long s), and k also matches U+212A (the Kelvin sign).
	return strings.Contains(s, "\u017f") || strings.Contains(s, "\u212a")
}

// begins reports whether a literal text of the groups begins at i.
func (f *filter) begins(s string, i int, found uint64) bool {
	for ; found != 0; found &= found - 1 {
		for _, text := range f.texts[bits.TrailingZeros64(found)] {
			if isAt(s, i, text) {
				return true
			}
		}
	}
	return false
}

// isAt reports whether a literal text is at s[at].
func isAt(s string, at int, text string) bool {
	for i := range len(text) {
		c := text[i]
		switch {
		case c == boundary:
			if wordAt(s, at-1) == wordAt(s, at) {
				return false
			}
			continue
		case at >= len(s):
			return false
		case s[at] != c && (s[at]|0x20 != c || c < 'a' || c > 'z'):
			return false
		}
		at++
	}
	return true
}

// wordAt reports whether s has a letter, a digit or an underscore of ASCII at i.
func wordAt(s string, i int) bool {
	if i < 0 || i >= len(s) {
		return false
	}
	c := s[i]
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_'
}
