package text

import (
	"slices"
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
		if n := asciiRun(s[i:]); n > 0 {
			dst = appendASCIILetters(dst, s[i:i+n])
			if at != nil {
				*at = appendASCIIPlaces(*at, s[i:i+n], int32(i))
			}
			i += n
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

// appendASCIILetters is [AppendLetters] for ASCII. Every byte is written, and overwritten by the next if it is no
// letter: where words end cannot be predicted, and a branch there costs more than the write.
func appendASCIILetters(dst []byte, s string) []byte {
	dst = slices.Grow(dst, len(s))
	room, n := dst[len(dst):len(dst)+len(s)], 0
	for i := range len(s) {
		c := s[i] & (utf8.RuneSelf - 1)
		room[n] = letters[c]
		n += int(counts[c])
	}
	return dst[:len(dst)+n]
}

// appendASCIIPlaces appends the positions of the letters of s, which is ASCII and begins at position from.
func appendASCIIPlaces(dst []int32, s string, from int32) []int32 {
	dst = slices.Grow(dst, len(s))
	room, n := dst[len(dst):len(dst)+len(s)], 0
	for i := range len(s) {
		room[n] = from + int32(i)
		n += int(counts[s[i]&(utf8.RuneSelf-1)])
	}
	return dst[:len(dst)+n]
}

// counts is 1 for each ASCII letter and digit, and 0 for the rest.
var counts = func() (table [utf8.RuneSelf]uint8) {
	for c, l := range letters {
		if l != 0 {
			table[c] = 1
		}
	}
	return table
}()

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
