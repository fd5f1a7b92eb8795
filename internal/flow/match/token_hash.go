package match

import "mcpproxy/internal/text"

// maxToken is the longest value that is looked for, in bytes of its skeleton.
const maxToken = 64

// tokenBase is odd, so that no byte of a long value loses its weight.
const tokenBase = 0x9e3779b97f4a7c15

// tokenInverse times tokenBase is 1.
const tokenInverse = 0xf1de83e19937733d

// powers are those of tokenBase.
var powers = func() (table [maxToken + 1]uint64) {
	table[0] = 1
	for i := range maxToken {
		table[i+1] = table[i] * tokenBase
	}
	return table
}()

// letterValues are random numbers that stand for the bytes of a skeleton.
var letterValues = func() (table [256]uint64) {
	for i := range table {
		table[i] = scramble(uint64(i) ^ 0x76616c756573)
	}
	return table
}()

// scramble is the finaliser of SplitMix64: every bit of x changes half of the result.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// appendSums appends to sums[0] = 0 the polynomial hash of every beginning of
// skeleton, from which that of every stretch follows.
func appendSums(sums []uint64, skeleton []byte) []uint64 {
	sum := uint64(0)
	sums = append(sums, sum)
	for _, c := range skeleton {
		sum = sum*tokenBase + letterValues[c]
		sums = append(sums, sum)
	}
	return sums
}

// stretch is the hash of skeleton[start:end], at most maxToken bytes.
func stretch(sums []uint64, start, end int) uint64 {
	return scramble(sums[end] - sums[start]*powers[end-start])
}

// hashSkeleton is the hash of a whole skeleton of any length.
func hashSkeleton(skeleton []byte) uint64 {
	sum := uint64(0)
	for _, c := range skeleton {
		sum = sum*tokenBase + letterValues[c]
	}
	return scramble(sum)
}

// headOf tells a value by its first letters and its length.
func headOf(skeleton []byte) uint64 {
	return headKey(hashSkeleton(skeleton[:leastToken]), len(skeleton))
}

// headKey is what headOf gives for first letters of a hash and a length. A sieve
// looks for those that differ in length alone in one word of memory.
func headKey(first uint64, length int) uint64 {
	return first&^sieveSpread | (first+uint64(length))*tokenBase>>(64-sieveShift)
}

// skeletonOf is the skeleton of s in memory of its own.
func skeletonOf(s string) []byte { return text.AppendLetters(nil, s, nil) }
