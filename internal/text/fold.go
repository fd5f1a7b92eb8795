package text

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// AppendLetters appends s without everything that can be changed without a reader noticing, or without changing the
// meaning: accents, case, white space, punctuation and format characters. A character that looks like a Latin letter
// or a digit is replaced by it, whatever its context. Letters of other scripts are kept in UTF-8.
//
// If at is not nil, it receives, for every appended byte, the position in s of the character from which the byte was
// made.
func AppendLetters(dst []byte, s string, at *[]int32) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if l := letters[c]; l != 0 {
				dst = append(dst, l)
				if at != nil {
					*at = append(*at, int32(i))
				}
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		from := len(dst)
		dst = appendFolded(dst, r)
		for ; at != nil && from < len(dst); from++ {
			*at = append(*at, int32(i))
		}
		i += size
	}
	return dst
}

// appendFolded appends the letters and digits as which r is read.
func appendFolded(dst []byte, r rune) []byte {
	if unicode.In(r, unicode.Mn, unicode.Cf, unicode.Variation_Selector) || r == utf8.RuneError {
		return dst
	}
	var buf [utf8.UTFMax]byte
	for _, d := range string(norm.NFKD.Append(nil, buf[:utf8.EncodeRune(buf[:], r)]...)) {
		if like, ok := confusable(d); ok {
			for k := 0; k < len(like); k++ {
				if l := letters[like[k]]; l != 0 {
					dst = append(dst, l)
				}
			}
			continue
		}
		switch {
		case d < utf8.RuneSelf:
			if l := letters[d]; l != 0 {
				dst = append(dst, l)
			}
		case unicode.IsLetter(d) || unicode.IsDigit(d):
			dst = utf8.AppendRune(dst, unicode.ToLower(d))
		}
	}
	return dst
}

// letters maps each ASCII letter to lower case and each digit to itself; 0 for the rest.
var letters = func() (table [utf8.RuneSelf]byte) {
	for c := range byte(utf8.RuneSelf) {
		if isAlnum(c) {
			table[c] = c
			if c >= 'A' && c <= 'Z' {
				table[c] = c | 0x20
			}
		}
	}
	return table
}()
