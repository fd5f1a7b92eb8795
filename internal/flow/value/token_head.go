package value

import (
	"mcpproxy/internal/flow/table"
	"mcpproxy/internal/text"
)

// headOf tells a value by its first letters and its length.
func headOf(skeleton []byte) uint64 {
	return headKey(table.HashSkeleton(skeleton[:leastToken]), len(skeleton))
}

// headKey is what headOf gives for first letters of a hash and a length. A sieve
// looks for those that differ in length alone in one word of memory.
func headKey(first uint64, length int) uint64 {
	return first&^table.SieveSpread | (first+uint64(length))*table.TokenBase>>(64-table.SieveShift)
}

// skeletonOf is the skeleton of s in memory of its own.
func skeletonOf(s string) []byte { return text.AppendLetters(nil, s, nil) }
