package model

import "math/bits"

// Filter is a set of 64-bit keys, which must be spread evenly (a Bloom filter:
// B. Bloom, CACM 13, 1970). It has every key it was made from, and a few others.
// The first byte is how many bits each key sets, the rest are the bits.
type Filter string

// NewFilter makes a filter with perKey bits for each of the keys: with 10 it has
// one in 120 of all others, with 16 one in 2,000. It is the same for the same keys
// in any order.
func NewFilter(keys []uint64, perKey int) Filter {
	probes := max(1, (perKey*69+50)/100) // ln 2 of perKey is best
	set := make([]byte, (len(keys)*perKey+7)/8)
	for _, key := range keys {
		for range probes {
			at := place(key, len(set))
			set[at>>3] |= 1 << (at & 7)
			key = next(key)
		}
	}
	return Filter(byte(probes)) + Filter(set)
}

// Has reports whether key is one of the filter's, or looks like one.
func (f Filter) Has(key uint64) bool {
	if len(f) < 2 {
		return false
	}
	set := f[1:]
	for range f[0] {
		at := place(key, len(set))
		if set[at>>3]>>(at&7)&1 == 0 {
			return false
		}
		key = next(key)
	}
	return true
}

// Ahead looks at the first bit of some keys: a processor waits for the memory of
// many at once, where [Filter.Has] waits for one after the other. What was seen is
// of no use, but that the look is not left out.
func (f Filter) Ahead(keys []uint64) (seen byte) {
	if len(f) < 2 {
		return 0
	}
	set := f[1:]
	for _, key := range keys {
		seen |= set[place(key, len(set))>>3]
	}
	return seen
}

// place returns the bit of a filter of n bytes that belongs to a key.
func place(key uint64, n int) uint64 {
	at, _ := bits.Mul64(key, uint64(n)*8)
	return at
}

// next makes the key of the next probe (a step of a linear congruential
// generator with Knuth's multiplier, its halves exchanged: [place] reads the
// high bits).
func next(key uint64) uint64 {
	return bits.RotateLeft64(key*6364136223846793005+1442695040888963407, 32)
}
