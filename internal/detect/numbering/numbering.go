package numbering

import (
	_ "embed"
	"math/bits"
)

//go:generate go run ./gen

// Plan is a set of digit strings. Plans are numbered in the order of the list;
// its zero value is [Abroad].
type Plan uint8

// The plans. Plans of countries have the countries' ISO 3166 codes as names.
const (
	Abroad Plan = iota // all numbers with their calling codes: what may follow a plus sign
	Called             // all texts that begin with an assigned calling code
	AU
	BR
	CN
	DE
	DK
	ES
	FR
	GB
	IN
	IT
	JP
	KR
	NO
	PH
	PL
	PT
	SG
	US
	Count // number of plans
)

// String returns the plan's name. For a country's plan it is the country's code.
func (p Plan) String() string {
	if p == Abroad {
		return "abroad"
	}
	if p == Called {
		return "called"
	}
	const countries = "AUBRCNDEDKESFRGBINITJPKRNOPHPLPTSGUS"
	return countries[2*(p-AU) : 2*(p-AU)+2]
}

// table is the automaton, in words of two bytes, low byte first. It begins with the positions of the plans' start
// states. A state is one word of bits, followed by the positions of its next states. Bit 15 says that a number may
// end there. Bits 0 to 9 mark the digits whose next state differs from that of the digit before; bit 0 is always set.
// Each marked digit has one position.
//
// It is derived from the metadata of libphonenumber, https://github.com/google/libphonenumber,
// Copyright the Libphonenumber Authors, used under the Apache License 2.0.
//
//go:embed plans.bin
var table string

// ending is the bit of a state in which a number may end.
const ending = 1 << 15

// Has reports whether the digits are in the plan. It returns false for an empty string and for bytes that are not
// digits.
func (p Plan) Has(digits []byte) bool {
	at := word(uint16(p))
	for _, c := range digits {
		d := c - '0'
		if d > 9 {
			return false
		}
		lower := uint16(2)<<d - 1 // the bits up to the one of d
		at = word(at + uint16(bits.OnesCount16(word(at)&lower)))
	}
	return word(at)&ending != 0
}

// word returns the word at a position of the table.
func word(at uint16) uint16 {
	i := 2 * int(at)
	return uint16(table[i]) | uint16(table[i+1])<<8
}
