package model

import (
	_ "embed"
	"slices"
)

const (
	// Symbols is the number of symbols that [Cost] distinguishes.
	Symbols = 37
	// Other is the symbol for everything except the letters a-z and digits.
	Other = Symbols - 1
	// Unit is the value of one bit of information in the table of costs.
	Unit = 16
)

//go:embed cost.bin
var costs string

// Cost appends to dst, for each byte of a skeleton, its information in bits, given the two bytes before it. A byte
// that is likely after these two has little information. A byte that continues a repetition of them has at most one
// bit.
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

// Symbol returns the number of a byte of a skeleton: 0-25 for letters, 26-35 for digits, and [Other] for other bytes.
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
