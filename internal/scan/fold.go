package scan

import (
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// foldable is the limit of the letters that are folded by a table: Latin, Greek and Cyrillic, with and without
// accents.
const foldable = 0x2000

// folds maps each letter below foldable to lower case without accents; 0 for other characters.
var folds = sync.OnceValue(func() *[foldable]uint16 {
	var table [foldable]uint16
	for r := rune('A'); r < foldable; r++ {
		switch {
		case r >= 0x0590 && r < 0x1e00, !unicode.IsLetter(r):
			continue
		}
		base := []rune(norm.NFD.String(string(r)))[0]
		if plain, ok := unaccented[base]; ok {
			base = plain
		}
		base = unicode.ToLower(base)
		if plain, ok := unaccented[base]; ok {
			base = plain
		}
		table[r] = uint16(base)
	}
	return &table
})

// unaccented are letters whose stroke or hook is not an accent in Unicode.
var unaccented = map[rune]rune{
	'ø': 'o',
	'đ': 'd',
	'ł': 'l',
	'ı': 'i',
	'ħ': 'h',
	'ŧ': 't',
	'ð': 'd',
	'İ': 'i',
	'ɡ': 'g',
	'ɑ': 'a',
}

// spelledOut returns the two letters for which a letter stands.
func spelledOut(r rune) (a, b rune, ok bool) {
	switch r {
	case 'ß', 'ẞ':
		return 's', 's', true
	case 'æ', 'Æ':
		return 'a', 'e', true
	case 'œ', 'Œ':
		return 'o', 'e', true
	case 'þ', 'Þ':
		return 't', 'h', true
	}
	return 0, 0, false
}

// isMark reports whether r is a combining mark of European scripts, which is ignored in words.
func isMark(r rune) bool {
	return r >= 0x300 && r <= 0x36f || r >= 0x1ab0 && r <= 0x1aff || r >= 0x1dc0 && r <= 0x1dff ||
		r >= 0x20d0 && r <= 0x20ff
}

// isIdeograph reports whether r belongs to a script that is read character by character: Han, kana or Hangul.
func isIdeograph(r rune) bool {
	return r >= 0x3040 && r <= 0x30ff || r >= 0x3400 && r <= 0x4dbf || r >= 0x4e00 && r <= 0x9fff ||
		r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x2fa1f || r == '々'
}

// leet returns the letter for which a digit or sign stands within a word; 0 if there is none.
func leet(c byte) rune {
	switch c {
	case '0':
		return 'o'
	case '1':
		return 'i'
	case '3':
		return 'e'
	case '4', '@':
		return 'a'
	case '5', '$':
		return 's'
	case '7':
		return 't'
	case '8':
		return 'b'
	}
	return 0
}
