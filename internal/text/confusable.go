package text

import (
	"cmp"
	"slices"
)

//go:generate go run ./gen -o confusable_table.go

// lookalike is a character that is taken for ASCII by whoever reads it.
type lookalike struct {
	r     rune
	ascii string
}

// confusable is the ASCII that r looks like; ok is false for ASCII itself and
// for what looks like none. Characters that NFKC turns into ASCII are not in
// the table, nor are letters that NFD takes an accent off: r is expected in
// normal form. A capital looks like a capital, a small letter or small capital
// like a small letter, and a decimal digit of any script stands for its value.
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
