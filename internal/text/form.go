package text

import "strings"

// minPluses is the minimum number of plus signs in a form-encoded word without percent escapes.
const minPluses = 2

// formDecode decodes form data (application/x-www-form-urlencoded): words with percent escapes, in which a plus sign
// is a space.
func formDecode(v *View) []*View {
	var b builder
	s, last := v.Text, 0 // words before this position have been read
	for plus := strings.IndexByte(s, '+'); plus >= last; plus = last + strings.IndexByte(s[last:], '+') {
		start, end := plus, plus+1
		for start > last && s[start-1] > ' ' {
			start--
		}
		for end < len(s) && s[end] > ' ' {
			end++
		}
		if word := s[start:end]; hasPercent(word) || strings.Count(word, "+") >= minPluses {
			b.formWord(word, start)
			b.put("\n", end-1, 1)
		}
		last = end
	}
	if len(b.text) == 0 {
		return nil
	}
	return []*View{b.view(v, "form encoding")}
}

// hasPercent reports whether a word contains a percent escape.
func hasPercent(s string) bool {
	for i := 0; i+2 < len(s); i++ {
		if s[i] == '%' && unhex(s[i+1]) >= 0 && unhex(s[i+2]) >= 0 {
			return true
		}
	}
	return false
}

// formWord adds the decoded form of s, which begins at byte source of the source text.
func (b *builder) formWord(s string, source int) {
	for i := 0; i < len(s); {
		text, n := "", 0
		switch s[i] {
		case '+':
			text, n = " ", 1
		case '%':
			text, n = hexEscape(s[i:], 1)
		}
		if n > 0 {
			b.put(text, source+i, n)
			i += n
			continue
		}
		b.copy(s[i:i+1], source+i)
		i++
	}
}
