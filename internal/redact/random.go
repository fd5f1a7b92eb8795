package redact

import (
	"strings"
	"unicode/utf8"
)

// isRandom reports whether s does not look like a word: it has a digit, or capitals after small letters.
func isRandom(s string) bool {
	for i := range len(s) {
		if isDigit(s[i]) || i > 0 && isUpper(s[i]) && s[i-1] >= 'a' && s[i-1] <= 'z' {
			return true
		}
	}
	return len(s) >= 24 && !strings.ContainsAny(s, "_-.")
}

// hasKey reports whether a piece of s between punctuation has at least least characters and is not a name.
func hasKey(s string, least int) bool {
	for piece := range strings.FieldsFuncSeq(s, func(r rune) bool { return r >= utf8.RuneSelf || !isAlnum(byte(r)) }) {
		if len(piece) >= least && !isCoined(piece) {
			return true
		}
	}
	return false
}

// isCoined reports whether s is a combination of words, as in orderLines2: words of several letters, with few digits
// after them.
func isCoined(s string) bool {
	digits := 0
	words := 1
	mixed := 0 // changes between letters and digits
	if s == "" {
		return true
	}
	for i := range len(s) {
		switch {
		case isDigit(s[i]):
			digits++
			if i > 0 && !isDigit(s[i-1]) {
				mixed++
			}
		case i > 0 && isDigit(s[i-1]):
			mixed++
		case i > 0 && isUpper(s[i]) && isLower(s[i-1]):
			words++
		}
	}
	switch {
	case digits == 0:
		return len(s) < 20 || words > 1 && len(s)/words > 3
	case mixed > 2 || isDigit(s[0]) && digits < len(s):
		return false
	case isDate(s[len(s)-min(digits, len(s)):]):
		return true
	}
	return digits < 4 && len(s)/words > 2 && len(s) < 24
}

// isDate reports whether s can be a year, a month or a day without separators: 2024, 202406 or 20240615.
func isDate(s string) bool {
	return (strings.HasPrefix(s, "19") || strings.HasPrefix(s, "20")) && (len(s) == 4 || len(s) == 6 || len(s) == 8) &&
		isNumber(s)
}

// isSpoken reports whether s consists of ordinary names, not of random characters, as in projects/p1/secrets/foo.
func isSpoken(s string) bool {
	for piece := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("/-_.:", r) }) {
		digits := len(piece) - len(strings.TrimRight(piece, "0123456789"))
		if digits > 2 || strings.ContainsAny(piece[:len(piece)-digits], "0123456789") ||
			!isCoined(piece[:len(piece)-digits]) {
			return false
		}
	}
	return true
}
