package table

import "slices"

// MaxToken is the maximum length of a value that is searched for, in bytes of its skeleton.
const MaxToken = 64

// TokenBase is odd, so that every byte of a long value affects the hash.
const TokenBase = 0x9e3779b97f4a7c15

// TokenInverse is the inverse of TokenBase modulo 2^64.
const TokenInverse = 0xf1de83e19937733d

// Powers holds the powers of TokenBase, by exponent.
var Powers = func() (table [MaxToken + 1]uint64) {
	table[0] = 1
	for i := range MaxToken {
		table[i+1] = table[i] * TokenBase
	}
	return table
}()

// LetterValues assigns a random number to each byte of a skeleton.
var LetterValues = func() (table [256]uint64) {
	for i := range table {
		table[i] = Scramble(uint64(i) ^ 0x76616c756573)
	}
	return table
}()

// Scramble is the finaliser of SplitMix64: changing one bit of x changes half of the result's bits on average.
func Scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// AppendSums appends, to sums[0] = 0, the polynomial hash of every prefix of skeleton. [Stretch] computes the hash of
// any range from them.
func AppendSums(sums []uint64, skeleton []byte) []uint64 {
	sum := uint64(0)
	sums = append(slices.Grow(sums, len(skeleton)+1), sum)
	for _, c := range skeleton {
		sum = sum*TokenBase + LetterValues[c]
		sums = append(sums, sum)
	}
	return sums
}

// Stretch returns the hash of skeleton[start:end], at most [MaxToken] bytes.
func Stretch(sums []uint64, start, end int) uint64 {
	return Scramble(sums[end] - sums[start]*Powers[end-start])
}

// HashSkeleton returns the hash of a whole skeleton of any length.
func HashSkeleton(skeleton []byte) uint64 {
	sum := uint64(0)
	for _, c := range skeleton {
		sum = sum*TokenBase + LetterValues[c]
	}
	return Scramble(sum)
}
