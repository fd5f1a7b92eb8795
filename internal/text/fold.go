package text

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// AppendLetters appends what is left of s when all is taken away that can be
// changed without a reader noticing, or without the text saying something else:
// accents, case, white space, punctuation and format characters. What looks like
// a Latin letter or a digit becomes one, whatever it stands next to. Letters of
// other scripts are kept in UTF-8.
//
// At, if not nil, receives for every byte appended where in s the character
// stands that it was made from.
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

// appendFolded appends the letters and digits that r is read as.
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

// letters is each ASCII letter in lower case and each digit; 0 for the rest.
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
