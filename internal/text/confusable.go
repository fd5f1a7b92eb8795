package text

import (
	"cmp"
	"slices"
)

//go:generate go run ./gen -o confusable_table.go

// lookalike is a character that readers take for ASCII.
type lookalike struct {
	r     rune
	ascii string
}

// confusable returns the ASCII text that r looks like. ok is false for ASCII itself and for characters that resemble
// none. r must be in normal form: the table contains neither characters that NFKC maps to ASCII nor letters whose
// accent NFD removes. A capital resembles a capital, a small letter or small capital a small letter, and a decimal
// digit of any script has the digit's value.
func confusable(r rune) (ascii string, ok bool) {
	if r < lookalikes[0].r {
		return "", false
	}
	i, ok := slices.BinarySearchFunc(lookalikes[:], r, func(l lookalike, r rune) int { return cmp.Compare(l.r, r) })
	if !ok {
		return "", false
	}
	return lookalikes[i].ascii, true
}
