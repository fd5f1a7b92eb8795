package model

import (
	_ "embed"
	"slices"
)

const (
	// Symbols is the number of symbols that [Cost] tells apart.
	Symbols = 37
	// Other is the symbol of all that is neither a letter a-z nor a digit.
	Other = Symbols - 1
	// Unit is one bit of information in the table of costs.
	Unit = 16
)

//go:embed cost.bin
var costs string

// Cost appends to dst, for each byte of a skeleton, how many bits of information
// it carries when the two bytes before it are known: little where it was to be
// expected, much where it could have been anything. A byte that goes on
// repeating the two before it carries at most one bit.
func Cost(skeleton []byte, dst []float32) []float32 {
	from := len(dst)
	dst = slices.Grow(dst, len(skeleton))[:from+len(skeleton)]
	out := dst[from:]
	before, last := Other*Symbols+Other, Other
	for i, c := range skeleton {
		symbol := int(symbols[c])
		out[i] = float32(costs[before*Symbols+symbol]) * (1.0 / Unit)
		before, last = last*Symbols+symbol, symbol
	}
	return dst
}

// Symbol is the number of a byte of a skeleton: 0-25 for letters, 26-35 for
// digits, [Other] for the rest.
func Symbol(c byte) byte { return symbols[c] }

// symbols holds the [Symbol] of every byte.
var symbols = func() (table [256]byte) {
	for c := range table {
		switch {
		case 'a' <= c && c <= 'z':
			table[c] = byte(c) - 'a'
		case '0' <= c && c <= '9':
			table[c] = byte(c) - '0' + 26
		default:
			table[c] = Other
		}
	}
	return table
}()
