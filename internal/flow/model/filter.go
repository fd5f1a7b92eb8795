package model

import "math/bits"

// Filter is a Bloom filter (B. Bloom, CACM 13, 1970) of 64-bit keys, which must be evenly distributed. It contains
// every key from which it was made, and a few others. The first byte is the number of bits that each key sets. The
// other bytes are the bits.
type Filter string

// NewFilter makes a filter with perKey bits for each key. With 10 bits it contains one in 120 other keys by mistake,
// and with 16 bits one in 2,000. The order of the keys does not matter.
func NewFilter(keys []uint64, perKey int) Filter {
	probes := max(1, (perKey*69+50)/100) // ln 2 × perKey is the optimum
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

// Has reports whether the filter contains key, possibly by mistake.
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

// Ahead prefetches the first bits of several keys. A processor can wait for many reads at once, whereas [Filter.Has]
// waits for each. The result has no meaning. Callers use it only to keep the compiler from removing the reads.
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

// place returns the position of a key's bit in a filter of n bytes.
func place(key uint64, n int) uint64 {
	at, _ := bits.Mul64(key, uint64(n)*8)
	return at
}

// next returns the key of the next probe. It is a step of a linear congruential generator with Knuth's multiplier. It
// exchanges the halves of the result, because [place] reads the high bits.
func next(key uint64) uint64 {
	return bits.RotateLeft64(key*6364136223846793005+1442695040888963407, 32)
}
