package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isWord reports whether c can be part of a name. Names are ASCII: they end where another script begins, as in
// 打开/etc/passwd.
func isWord(c byte) bool { return wordBytes[c] }

// wordBytes are the bytes for which [isWord] is true.
var wordBytes = func() (table [256]bool) {
	for c := range table {
		table[c] = isAlnum(byte(c)) || c == '_' || c == '-' || c == '.' || c == '+'
	}
	return table
}()

func isAlnum(c byte) bool { return isDigit(c) || isLetter(c) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return isUpper(c) || isLower(c) }

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// at returns the byte at i, or 0 after the end.
func at(s string, i int) byte {
	if i < 0 || i >= len(s) {
		return 0
	}
	return s[i]
}

// letter returns the length of the letter, digit or accent beyond ASCII at i, or 0.
func letter(s string, i int) int {
	if at(s, i) < utf8.RuneSelf {
		return 0
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) {
		return n
	}
	return 0
}

// sign returns the length of the punctuation or space beyond ASCII at i, or 0.
func sign(s string, i int) int {
	if at(s, i) < utf8.RuneSelf {
		return 0
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if unicode.IsPunct(r) || unicode.IsSpace(r) {
		return n
	}
	return 0
}

// mark returns the length of the quote or bracket beyond ASCII at i, or 0.
func mark(s string, i int) int {
	if at(s, i) < utf8.RuneSelf {
		return 0
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if unicode.In(r, unicode.Pi, unicode.Pf, unicode.Ps, unicode.Pe) {
		return n
	}
	return 0
}

// letterBefore reports whether a letter beyond ASCII ends before i.
func letterBefore(s string, i int) bool {
	if at(s, i-1) < utf8.RuneSelf {
		return false
	}
	_, n := utf8.DecodeLastRuneInString(s[:i])
	return letter(s, i-n) > 0
}

// markBefore reports whether a quote or bracket beyond ASCII ends before i.
func markBefore(s string, i int) bool {
	if at(s, i-1) < utf8.RuneSelf {
		return false
	}
	_, n := utf8.DecodeLastRuneInString(s[:i])
	return mark(s, i-n) > 0
}

// goesOn reports whether the letter before i and the text at i belong to the same word. In scripts with small letters,
// spaces separate words; in other scripts they do not.
func goesOn(s string, i int) bool {
	if i <= 0 || s[i-1] < utf8.RuneSelf {
		return i > 0 && isWord(s[i-1])
	}
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsMark(r)
}

// trimSigns returns s without punctuation at its ends.
func trimSigns(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		return strings.ContainsRune(" :='\"`(\\", r) || r >= utf8.RuneSelf && unicode.IsPunct(r)
	})
}
