package intent

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unspaced reports whether a character belongs to a script with few or no spaces between words: Chinese, Japanese,
// Korean.
func unspaced(r rune) bool {
	return r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// isLetter reports whether a character belongs to a word.
func isLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// Words yields the words of a text in lower case. In scripts without spaces, every two adjacent characters are a
// word.
func Words(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for w := range tokens(s) {
			if !unspaced(firstRune(w)) {
				if !yield(strings.ToLower(w)) {
					return
				}
				continue
			}
			if !pairs(w, yield) {
				return
			}
		}
	}
}

// pairs yields the pairs of adjacent characters of a text without spaces.
func pairs(run string, yield func(string) bool) bool {
	start, previous := -1, 0
	for i, r := range run {
		end := i + utf8.RuneLen(r)
		if start >= 0 && !yield(run[previous:end]) {
			return false
		}
		start, previous = i, i
	}
	return true
}

// tokens yields the runs of letters and digits of s. A run of characters of a script without spaces is a separate
// token.
func tokens(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(s); {
			r, size := utf8.DecodeRuneInString(s[i:])
			if !isLetter(r) {
				i += size
				continue
			}
			start := i
			i = endOfToken(s, i+size, unspaced(r))
			if !yield(s[start:i]) {
				return
			}
		}
	}
}

// endOfToken returns the end of the token that contains s[i-1]. wide says that the token belongs to a script without
// spaces.
func endOfToken(s string, i int, wide bool) int {
	for i < len(s) {
		if c := s[i]; c < utf8.RuneSelf {
			if wide || !isLetter(rune(c)) {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if !isLetter(r) || unspaced(r) != wide {
			return i
		}
		i += size
	}
	return i
}

// Mentions returns the meanings of the words of a text: the effects that the text mentions.
func Mentions(s string) Set {
	l := lexicons()
	ascii := isASCII(s)
	if ascii {
		s = strings.ToLower(s) // converts all words at once
	}
	var roomForWords [128]string // enough for the words of most passages
	var roomForLooks [128]look
	words, looks := roomForWords[:0], roomForLooks[:0]
	var set Set
	var votes votes
	for w := range tokens(s) {
		if w[0] >= utf8.RuneSelf && unspaced(firstRune(w)) {
			for i := range w {
				set |= l.glyphsAt(w[i:])
			}
			continue
		}
		if !ascii {
			w = strings.ToLower(w)
		}
		found := l.look(w)
		words, looks = append(words, w), append(looks, found)
		votes.add(l.languagesOf(w, found))
	}
	in := votes.most()
	for i, w := range words {
		if looks[i].ascii {
			set |= l.listed(w, looks[i], in)
		} else {
			set |= l.word(w, in)
		}
		if l.phraseSieve.has(looks[i].hash) {
			set |= l.phrase(words, i, in)
		}
	}
	return joined(set) &^ (asks | requests)
}
